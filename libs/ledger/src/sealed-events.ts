import type { Seal } from '@uar/keys';
import type { Ledger } from './ledger.js';
import type { Link } from './thread/link.js';

/** Bound to tenant and run: sealed events moved to another run do not open. */
function purposeOf(tenant: string, runId: string | undefined): string {
  return `events ${JSON.stringify([tenant, runId ?? ''])}`;
}

/** Arguments and results are among events: they leave this side sealed. */
export function sealedEvents(link: Link, seal: Seal): Pick<Ledger, 'appendEvents' | 'readEvents'> {
  return {
    appendEvents(ask) {
      const groups = ask.groups.map((group) => ({
        ...group,
        events_json: seal.seal(group.events_json, purposeOf(group.tenant, group.run?.run_id)),
      }));
      return link.ask('appendEvents', { ...ask, groups });
    },
    async readEvents(ask) {
      const page = await link.ask('readEvents', ask);
      const groups = page.groups.map((group) => ({
        ...group,
        events_json: seal.open(group.events_json, purposeOf(ask.tenant, group.run?.run_id)),
      }));
      return { ...page, groups };
    },
  };
}
