import { z } from 'zod';
import { announcement, exchange } from '../exchange.js';
import { CallId, Digest, InstanceId, TenantId } from '../ids.js';
import { CallerTokenText } from './caller-token.js';
import { GrantTarget, GrantText } from './grant.js';
import { HostAnswer } from './host.js';
import { Caller } from '../principal.js';
import { ItemMethod, Seat } from './seat.js';

/** Longest URI, URI template or prompt name, in UTF-8 bytes: a grant names it. */
export const longestItemId = 2_048;

/** What an upstream offers besides tools (MCP 2025-11-25, "Server Features"), by the upstream's own name: a URI, a URI template or a prompt's name. */
export const Item = z.strictObject({
  kind: z.enum(['resource', 'prompt']),
  server: z.string(),
  id: z.string().max(longestItemId),
});
export type Item = z.output<typeof Item>;

/** May `caller` read this resource, or get this prompt? What it is asked for beside is none of the question. */
export const ItemQuestion = z.strictObject({
  call_id: CallId,
  caller: Caller,
  item: Item,
  method: ItemMethod,
  /** sha256 of the text of `params` as the host will send it. */
  params_digest: Digest,
});
export type ItemQuestion = z.output<typeof ItemQuestion>;

const decided = {
  policy_version: z.string(),
  determining: z.array(z.string()),
  governance: z.enum(['on', 'off']),
};

/** `readResource` or `getPrompt` of the item (GOVERNANCE.md 1): no human is ever asked. An allow carries a grant for `target`. */
export const decideItem = exchange({
  subject: 'uar.v1.governance.item.decide',
  ask: z.strictObject({ question: ItemQuestion, target: GrantTarget }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('allow'), ...decided, grant: GrantText }),
    z.strictObject({ kind: z.literal('deny'), ...decided, cause: z.string() }),
  ]),
  deadlineMs: 2_000,
});

const HostItemRequest = z.strictObject({
  grant: GrantText,
  call_id: CallId,
  tenant: TenantId,
  server: z.string(),
  method: ItemMethod,
  item_id: z.string().max(longestItemId),
  /** `params` of the request, in the upstream's own names: goes into its frame as it is. */
  params_json: z.string(),
  timeout_ms: z.number().int().positive(),
  max_result_bytes: z.number().int().positive(),
  wants_progress: z.boolean(),
  seat: Seat.optional(),
  /** As of a tool call. */
  caller_token: CallerTokenText.optional(),
});
export type HostItemRequest = z.output<typeof HostItemRequest>;

/** A granted request that is no tool call, dispatched once at most; `ran` is whatever result came. */
export const runItem = exchange({
  subject: 'uar.v1.host.mcp.item.run',
  reach: 'instance',
  ask: HostItemRequest,
  answer: HostAnswer,
  deadlineMs: 2_000_000,
});

export const ItemListName = z.enum(['resources', 'templates', 'prompts']);
export type ItemListName = z.output<typeof ItemListName>;

/** One list of an upstream, as its host has it now. Nothing that a principal owns is in it: it comes over the connection that lists tools. */
export const listItems = exchange({
  subject: 'uar.v1.host.mcp.items.list',
  reach: 'instance',
  ask: z.strictObject({
    tenant: TenantId,
    server: z.string(),
    list: ItemListName,
    /** Where to go on, in which list; absent: the first page of the list as it is now. */
    from: z.strictObject({ list_digest: z.string(), start: z.number().int().nonnegative() }).optional(),
  }),
  answer: z.discriminatedUnion('kind', [
    /** One page, `listPageBytes` of JSON at most. MCP objects as JSON text, in the upstream's order; empty where it has no such list. */
    z.strictObject({
      kind: z.literal('listed'),
      list_digest: z.string(),
      definitions: z.array(z.string()),
      next: z.number().int().positive().optional(),
    }),
    z.strictObject({ kind: z.literal('stale') }),
    z.strictObject({ kind: z.literal('not_owner') }),
    z.strictObject({ kind: z.literal('unavailable'), message: z.string() }),
  ]),
  deadlineMs: 20_000,
});

/**
 * What the upstream session of a seat asks of its client (MCP 2025-11-25, "Client Features"), asked of the gateway that the seat
 * names. `call_id`: during which call, where that is known. `gone`: no such client, or it declared no such capability.
 */
export const askClient = exchange({
  subject: 'uar.v1.gateway.client.ask',
  reach: 'instance',
  ask: z.strictObject({
    /** Names this ask to `withdrawAsk`. */
    ask_id: z.uuid(),
    seat_id: z.string(),
    call_id: CallId.optional(),
    method: z.enum(['sampling/createMessage', 'elicitation/create', 'roots/list']),
    params_json: z.string(),
  }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('answered'), result_json: z.string() }),
    z.strictObject({
      kind: z.literal('failed'),
      code: z.number().int(),
      message: z.string(),
      data_json: z.string().optional(),
    }),
    z.strictObject({ kind: z.literal('gone') }),
  ]),
  deadlineMs: 600_000,
});

/** Nobody waits for the answer any more: the client is told, and its place is free. `found`: it was still open. */
export const withdrawAsk = exchange({
  subject: 'uar.v1.gateway.client.withdraw',
  reach: 'instance',
  ask: z.strictObject({ seat_id: z.string(), ask_id: z.uuid() }),
  answer: z.strictObject({ found: z.boolean() }),
  deadlineMs: 2_000,
});

/**
 * A notification of an upstream that is for clients: `notifications/message`, `notifications/resources/updated`,
 * `notifications/{resources,prompts}/list_changed`, `notifications/elicitation/complete`. With `seat` it is for the client of that
 * seat alone; without, the upstream is shared: nothing that it logs is passed on.
 */
export const upstreamNotified = announcement({
  subject: 'uar.v1.event.upstream.notified',
  body: z.strictObject({
    tenant: TenantId,
    server: z.string(),
    /** With the principal of the grant by which it was opened, as a Cedar id: many have a seat of the same id. */
    seat: z.strictObject({ id: z.string(), gateway: InstanceId, principal: z.string() }).optional(),
    call_id: CallId.optional(),
    method: z.string().max(128),
    params_json: z.string(),
  }),
});
