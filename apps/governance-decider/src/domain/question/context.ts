import type { Caller, ProfileName } from '@uar/contracts';
import { entityRef, extension, type CedarValue } from '../cedar/cedar.js';
import { toWellFormed } from '../cedar/well-formed.js';
import type { Facts } from '../facts/extract.js';

const profileIds: Readonly<Record<ProfileName, string>> = {
  minimal: 'minimal',
  'server-full': 'server_full',
  'embedded-mobile': 'embedded',
};

const secondMs = 1_000;

/** When and through what something is asked. */
export interface Moment {
  readonly caller: Pick<Caller, 'channel' | 'ip' | 'run_id' | 'session_id'>;
  readonly profile: ProfileName;
  /** Epoch milliseconds. */
  readonly now: number;
}

export function environment(moment: Moment): CedarValue {
  const ip = moment.caller.ip === undefined ? undefined : cedarIp(moment.caller.ip);
  return {
    now: wholeSecond('floor', moment.now),
    ...(ip === undefined ? {} : { ip: extension('ip', ip) }),
    channel: entityRef({ type: 'UAR::Channel', id: moment.caller.channel }),
    profile: entityRef({ type: 'UAR::Profile', id: profileIds[moment.profile] }),
    runId: moment.caller.run_id,
    sessionId: toWellFormed(moment.caller.session_id),
  };
}

/**
 * Time as policies see it: the clock that has begun a second, the end of one in which something expires. A vote is judged
 * when it is cast, reviewed and used, mostly within one second. That nothing is used later is for the ledger to say.
 */
export function wholeSecond(round: 'floor' | 'ceil', atMs: number): CedarValue {
  return extension('datetime', new Date(Math[round](atMs / secondMs) * secondMs).toISOString());
}

/** Cedar takes no mapped addresses and no zones. Text that is no address is left out, as if nobody knew it. */
function cedarIp(text: string): string | undefined {
  const plain = text.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
  const isV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(plain);
  return isV4 || /^(?=.*:)[0-9a-f:]{2,39}$/i.test(plain) ? plain : undefined;
}

export function factsValue(facts: Facts): CedarValue {
  return {
    pathRoots: facts.pathRoots,
    hosts: facts.hosts,
    recipientDomains: facts.recipientDomains,
    ...(facts.amount === undefined ? {} : { amount: extension('decimal', facts.amount) }),
    complete: facts.complete,
  };
}
