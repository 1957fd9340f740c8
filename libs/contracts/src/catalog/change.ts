import { z } from 'zod';
import { exchange } from '../exchange.js';
import { Digest, IsoTime, TenantId, ToolName } from '../ids.js';
import { Principal } from '../principal.js';

/** Of one new definition against the one it replaces: the same after every restart and at every replica. */
const ChangeId = z.string().regex(/^chg_[0-9a-f]{32}$/);

/** JSON pointer (RFC 6901). Values are JSON text, cut where long; what a reader could miss is written `\u{hex}`. */
const place = { pointer: z.string() };

export const DefinitionDifference = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('added'), ...place, new: z.string() }),
  z.strictObject({ kind: z.literal('removed'), ...place, old: z.string() }),
  z.strictObject({ kind: z.literal('changed'), ...place, old: z.string(), new: z.string() }),
]);
export type DefinitionDifference = z.output<typeof DefinitionDifference>;

export const DefinitionDiff = z.strictObject({
  /** `nothing`: the tool has no reviewed definition. `not_kept`: it has, but its text is not there any more. */
  against: z.enum(['reviewed', 'nothing', 'not_kept']),
  differences: z.array(DefinitionDifference),
  /** Differences beyond what is shown. */
  left_out: z.number().int().nonnegative(),
  /** Why the new definition needs a reviewer in any case. */
  flags: z.array(z.string()),
});
export type DefinitionDiff = z.output<typeof DefinitionDiff>;

/** A definition that nobody has reviewed (API.md 3). */
export const DefinitionChange = z.strictObject({
  id: ChangeId,
  /** Public name. */
  tool: ToolName,
  /** The reviewed one; null for a tool of which none was reviewed. */
  old_digest: Digest.nullable(),
  new_digest: Digest,
  diff: DefinitionDiff,
  at: IsoTime,
});
export type DefinitionChange = z.output<typeof DefinitionChange>;

export const ChangeList = z.strictObject({ changes: z.array(DefinitionChange) });

export const ChangeDecided = z.strictObject({
  id: ChangeId,
  tool: ToolName,
  digest: Digest,
  decision: z.enum(['accepted', 'rejected']),
});
export type ChangeDecided = z.output<typeof ChangeDecided>;

const refused = <K extends string>(kind: K) => z.strictObject({ kind: z.literal(kind), message: z.string() });

/** The changes that wait for a reviewer, oldest first. */
export const listChanges = exchange({
  subject: 'uar.v1.servers.change.list',
  ask: z.strictObject({ tenant: TenantId, name: z.string() }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('listed'), changes: z.array(DefinitionChange) }),
    refused('not_found'),
    refused('unavailable'),
  ]),
  deadlineMs: 8_000,
});

/** Persisted first, applied second, and receipted. Accepting what was rejected before is possible while it is current. */
export const decideChange = exchange({
  subject: 'uar.v1.servers.change.decide',
  ask: z.strictObject({
    principal: Principal,
    name: z.string(),
    id: z.string(),
    decision: z.enum(['accept', 'reject']),
  }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('decided'), decided: ChangeDecided }),
    refused('not_found'),
    /** The upstream offers another definition by now, or none. */
    refused('superseded'),
    z.strictObject({ kind: z.literal('not_open'), decision: z.enum(['accepted', 'rejected']) }),
    /** The ledger did not take it: nothing changed. */
    refused('unavailable'),
  ]),
  deadlineMs: 10_000,
});
