import { z } from 'zod';
import { exchange } from '../exchange.js';
import { CallId } from '../ids.js';
import { Caller } from '../principal.js';
import { ParkedInput } from './resume.js';

/**
 * Asked of the gateway at which a kept call is pending, by the one to which its caller came: how it is now, to give it what
 * its client answered, or to cancel it, which gives it 6 s to end.
 */
export const attendCall = exchange({
  subject: 'uar.v1.gateway.call.attend',
  reach: 'instance',
  ask: z.strictObject({
    caller: Caller,
    call_id: CallId,
    deed: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('read') }),
      z.strictObject({ kind: z.literal('cancel') }),
      /** Results as JSON text, by the key of what its upstream asked. */
      z.strictObject({ kind: z.literal('answer'), by_key: z.record(z.string(), z.string()) }),
    ]),
  }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('found'),
      /** CallView as JSON text. */
      view_json: z.string(),
      /** What its upstream asks whoever waits for it. */
      inputs: z.array(ParkedInput),
    }),
    /** No call of this caller. */
    z.strictObject({ kind: z.literal('not_found') }),
    z.strictObject({ kind: z.literal('unavailable'), cause: z.string() }),
  ]),
  deadlineMs: 9_000,
});
