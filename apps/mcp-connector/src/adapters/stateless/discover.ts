import { memberText, scanJson } from '@uar/json-text';
import { z } from 'zod';
import { requestMeta, rpcCodes, statelessRevision, type Sender } from './revision.js';
import type { Reply, Wire } from './wire.js';

const Feature = z.looseObject({ listChanged: z.boolean().optional(), subscribe: z.boolean().optional() });
const Capabilities = z.looseObject({
  tools: Feature.optional(),
  resources: Feature.optional(),
  prompts: Feature.optional(),
  logging: z.looseObject({}).optional(),
});
const Discovery = z.looseObject({ supportedVersions: z.array(z.string()), capabilities: Capabilities });
const Supported = z.looseObject({ supported: z.array(z.string()) });

export type ServerCapabilities = z.output<typeof Capabilities>;

/** What stands at the other end, as far as it said. */
export type Discovered =
  | { readonly kind: 'stateless'; readonly capabilities: ServerCapabilities }
  /** Who may speak a revision with sessions, and does not speak ours; `isSure`: it did not merely fail to answer. */
  | { readonly kind: 'other'; readonly isSure: boolean }
  /** It speaks as revisions without sessions do, and none that we know. */
  | { readonly kind: 'unusable'; readonly message: string };

const maxTries = 2;
/** Revisions before the first without sessions. */
const isEarlier = (revision: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(revision) && revision < statelessRevision;

/**
 * Asks who is there by `server/discover` (MCP 2026-07-28, "Versioning and Compatibility"). Rejects as the wire does.
 */
export async function discover(wire: Wire, sender: Sender, signal: AbortSignal): Promise<Discovered> {
  for (let tries = 1; ; tries += 1) {
    const reply = await wire.request({
      ...{ method: 'server/discover', paramsText: `{"_meta":${requestMeta(sender)}}`, signal },
      onNotification: () => undefined,
    });
    const supported = reply.kind === 'upstream_error' ? refusedVersions(reply) : undefined;
    const isOffered = supported?.includes(statelessRevision) === true;
    if (!isOffered || tries >= maxTries) return supported === undefined ? judged(reply) : among(supported);
  }
}

function judged(reply: Reply): Discovered {
  if (reply.kind === 'upstream_error' && Object.values<number>(rpcCodes).includes(reply.code))
    return { kind: 'unusable', message: `server/discover failed: ${reply.message} (${reply.code})` };
  const read = reply.kind === 'result' ? discoveryIn(reply.text) : undefined;
  if (read === undefined) return { kind: 'other', isSure: isSaid(reply) };
  const { supportedVersions, capabilities } = read;
  return supportedVersions.includes(statelessRevision)
    ? { kind: 'stateless', capabilities }
    : among(supportedVersions);
}

/** Of a server that does not speak ours, or refuses to. */
function among(revisions: readonly string[]): Discovered {
  if (revisions.some(isEarlier)) return { kind: 'other', isSure: true };
  return { kind: 'unusable', message: 'the server speaks no revision of MCP that this host does' };
}

function isSaid(reply: Reply): boolean {
  return (
    reply.kind === 'result' ||
    reply.kind === 'upstream_error' ||
    (reply.kind === 'no_answer' && reply.status < 500)
  );
}

function discoveryIn(text: string): z.output<typeof Discovery> | undefined {
  const type = memberText(text, 'resultType');
  if ((type !== undefined && type !== '"complete"') || scanJson(text).kind === 'bad') return undefined;
  return Discovery.safeParse(JSON.parse(text)).data;
}

function refusedVersions({
  code,
  dataJson,
}: Extract<Reply, { kind: 'upstream_error' }>): string[] | undefined {
  if (code !== rpcCodes.unsupportedVersion || dataJson === undefined) return undefined;
  return Supported.safeParse(JSON.parse(dataJson)).data?.supported;
}
