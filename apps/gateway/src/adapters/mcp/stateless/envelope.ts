import type { IncomingHttpHeaders } from 'node:http';
import { LogLevel } from '@uar/contracts';
import { z } from 'zod';
import { type Declared, declaredIn } from '../../../domain/client/declared.js';
import type { TransportRefusal } from '../http/refuse.js';
import type { ClientRequest } from '../http/request.js';
import { statelessRevision, supportedRevisions } from '../revisions.js';
import { rpcCodes } from '../rpc-codes.js';
import { decodedHeader } from './header-value.js';
import { memberOf } from './member-of.js';
import { metaKeys, tasksExtension } from './meta-keys.js';

const Meta = z.looseObject({
  [metaKeys.revision]: z.string().max(64),
  [metaKeys.capabilities]: z.looseObject({ elicitation: z.looseObject({}).optional() }),
  [metaKeys.logLevel]: LogLevel.optional(),
  [metaKeys.clientInfo]: z.looseObject({ name: z.string(), version: z.string() }).optional(),
});
const TakesTasks = z.looseObject({ extensions: z.looseObject({ [tasksExtension]: z.looseObject({}) }) });

/** A request whose `_meta` and headers say the same. */
export interface StatelessRequest {
  readonly id: ClientRequest['id'];
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The whole message, as it was sent. */
  readonly text: string;
  readonly declared: Declared;
  /** Declared `elicitation: { url: {} }`: it can send its user to a page. */
  readonly opensPages: boolean;
  /** Declared the extension of tasks. */
  readonly takesTasks: boolean;
  /** Log messages that it wants to hear; undefined: none. */
  readonly level: LogLevel | undefined;
}

export type Envelope =
  | { readonly kind: 'read'; readonly request: StatelessRequest }
  | { readonly kind: 'refused'; readonly refusal: TransportRefusal };

/** What each message says of itself in `_meta` and again in headers (MCP 2026-07-28, "Streamable HTTP", standard headers). */
export function readEnvelope(frame: ClientRequest, headers: IncomingHttpHeaders): Envelope {
  const { id, method, message, text } = frame;
  const params = z.record(z.string(), z.unknown()).catch({}).parse(message['params']);
  const meta = Meta.safeParse(params['_meta'] ?? {});
  const problem =
    mixedGreeting(method, params) ?? unreadable(meta) ?? headerProblem({ method, params }, headers);
  if (problem !== undefined) return { kind: 'refused', refusal: { status: 400, why: problem, id } };
  const capabilities = meta.data?.[metaKeys.capabilities];
  const declared = declaredIn(capabilities);
  const takesTasks = TakesTasks.safeParse(capabilities).success;
  const opensPages = declared.elicitation?.url !== undefined;
  const level = meta.data?.[metaKeys.logLevel];
  return { kind: 'read', request: { id, method, params, text, declared, opensPages, takesTasks, level } };
}

/** Of a message that has no answer: undefined where it may be taken. */
export function notificationProblem(
  { method, message }: { readonly method: string; readonly message: Readonly<Record<string, unknown>> },
  headers: IncomingHttpHeaders,
): Problem | undefined {
  const params = z.record(z.string(), z.unknown()).catch({}).parse(message['params']);
  const claimed = claimOf(params);
  if (claimed !== undefined && claimed !== headers['mcp-protocol-version'])
    return mismatch('MCP-Protocol-Version');
  const named = headers['mcp-method'];
  return named === undefined || named === method ? undefined : mismatch('Mcp-Method');
}

interface Problem {
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
}

type Named = Pick<StatelessRequest, 'method' | 'params'>;

/** `initialize` is of the sessions; with a `_meta` of this revision it is but an unknown method. */
function mixedGreeting(method: string, params: StatelessRequest['params']): Problem | undefined {
  if (method !== 'initialize' || claimOf(params) !== undefined) return undefined;
  return mismatch('MCP-Protocol-Version', `initialize is of revisions before ${statelessRevision}`);
}

function unreadable(meta: z.ZodSafeParseResult<z.output<typeof Meta>>): Problem | undefined {
  if (meta.success) return undefined;
  const members = [...new Set(meta.error.issues.map(({ path }) => String(path[0] ?? '_meta')))];
  return {
    code: rpcCodes.invalidParams,
    message: `params._meta lacks, or has in another shape: ${members.join(', ')}`,
    data: { members },
  };
}

function headerProblem({ method, params }: Named, headers: IncomingHttpHeaders): Problem | undefined {
  const claimed = claimOf(params);
  const { 'mcp-protocol-version': version, 'mcp-method': named } = headers;
  if (version !== undefined && version !== claimed) return mismatch('MCP-Protocol-Version');
  if (claimed !== statelessRevision) return unsupported(claimed);
  if (version === undefined) return mismatch('MCP-Protocol-Version');
  if (named !== method) return mismatch('Mcp-Method');
  return nameProblem({ method, params }, headers['mcp-name']);
}

/** Which member of `params` the header `Mcp-Name` repeats. */
const nameMembers: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

function nameProblem({ method, params }: Named, sent: string | string[] | undefined): Problem | undefined {
  if (!Object.hasOwn(nameMembers, method)) return undefined;
  const name = params[nameMembers[method] ?? ''];
  if (sent === undefined && typeof name !== 'string') return undefined;
  return typeof sent === 'string' && decodedHeader(sent) === name ? undefined : mismatch('Mcp-Name');
}

function claimOf(params: StatelessRequest['params']): unknown {
  return memberOf(params['_meta'], metaKeys.revision);
}

/** Undefined where the header names no other than the body does. */
export function mismatch(header: string, why = 'it is missing, or the body says something else'): Problem {
  return { code: rpcCodes.headerMismatch, message: `header ${header}: ${why}`, data: { header } };
}

function unsupported(requested: unknown): Problem {
  const data = { supported: supportedRevisions, requested };
  return { code: rpcCodes.unsupportedVersion, message: 'this protocol version is not supported', data };
}
