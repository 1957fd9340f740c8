import { z } from 'zod';

/** The revisions of MCP that sessions speak, the newest last. */
const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;
export type Revision = (typeof revisions)[number];

/** The revision without sessions: each request says itself what it is. */
export const statelessRevision = '2026-07-28';

/** All that this endpoint speaks, the newest first. */
export const supportedRevisions = [statelessRevision, ...revisions.toReversed()];

const newest: Revision = '2025-11-25';

export function isRevision(text: unknown): text is Revision {
  return revisions.some((revision) => revision === text);
}

/** Only one revision has batches: the next removed what it had brought. */
export function hasBatches(revision: Revision): boolean {
  return revision === '2025-03-26';
}

/** Streams begin with an event without data (2025-11-25, "Sending Messages to the Server"), which earlier clients cannot read. */
export function isPrimed(revision: Revision): boolean {
  return revision === '2025-11-25';
}

const GreetingParams = z.looseObject({
  protocolVersion: z.string().max(64),
  capabilities: z.looseObject({}),
  clientInfo: z.looseObject({ name: z.string(), version: z.string() }),
});

export interface Greeting {
  /** Spoken from now on: the wanted one, or our newest. */
  readonly revision: Revision;
  /** Of `initialize`, with that revision in place of the wanted one. */
  readonly params: z.output<typeof GreetingParams>;
}

export function readGreeting(params: unknown): Greeting | undefined {
  const read = GreetingParams.safeParse(params);
  if (!read.success) return undefined;
  const wanted = read.data.protocolVersion;
  const revision = isRevision(wanted) ? wanted : newest;
  return { revision, params: { ...read.data, protocolVersion: revision } };
}
