import { chapter } from './chapter.js';

/** What a call is, over HTTP and MCP, and what bounds it. */
export const calling = chapter({
  'tools.list': {
    text: 'the tools of the sample upstreams are listed with their public names',
    source: 'API.md 2',
  },
  'tools.unknown': {
    text: 'a tool that does not exist is unknown_tool, with neither decision nor receipt',
    source: 'API.md 2',
  },
  'tools.callable': { text: 'every advertised name is callable, and only those', source: 'CASES.md N4' },
  'call.completed': {
    text: 'a completed call: outcome completed, effect ran, a receipt',
    source: 'DESIGN.md 3',
  },
  'call.tool-error': {
    text: 'isError is tool_error: 200, success false, the result untouched',
    source: 'CASES.md R2',
  },
  'call.upstream-error': {
    text: 'a JSON-RPC error of the upstream is upstream_error, never a success',
    source: 'CASES.md R2',
  },
  'call.invalid-arguments': {
    text: 'arguments that do not fit the schema are refused before policy',
    source: 'DESIGN.md 3',
  },
  'call.exact-arguments': {
    text: 'numbers beyond 2^53 and member order reach the tool unchanged',
    source: 'CASES.md R4',
  },
  'call.exact-result': {
    text: 'unknown content, _meta, explicit false arrive as the upstream sent them',
    source: 'CASES.md R1',
  },
  'call.timeout': {
    text: 'no answer in time is timeout, may_have_run, executed at most once',
    source: 'CASES.md C3',
  },
  'call.transport-failure': {
    text: 'an upstream that dies mid-call is transport_failure and the next call works',
    source: 'CASES.md T1',
  },
  'call.result-too-large': {
    text: 'a result over the cap is result_too_large and disturbs nobody',
    source: 'CASES.md P10',
  },
  'call.large-result': {
    text: 'a result above the message size of the bus arrives whole',
    source: 'CASES.md R3',
  },
  'call.at-most-once': {
    text: 'killing the connector during 200 calls gives one outcome each and no double execution',
    source: 'CASES.md C3',
  },
  'call.async': { text: 'Prefer: respond-async answers 202 with Location and goes on', source: 'API.md 2' },
  'call.idempotency': {
    text: 'an idempotency key executes once; with other arguments it is 422',
    source: 'API.md 2',
  },
  'call.idempotency-retry': {
    text: 'a key whose call was refused for a passing reason and ran nothing may be tried anew',
    source: 'API.md 2',
  },
  'call.cancel': { text: 'a waiting call can be cancelled and nothing runs', source: 'API.md 2' },
  'mcp.client': {
    text: 'an unmodified official client lists and calls through /mcp',
    source: 'DESIGN.md 12',
  },
  'mcp.real-clients': {
    text: 'clients of others list and call with a bearer, unmodified',
    source: 'DESIGN.md 12',
  },
  'mcp.runtime': {
    text: '/mcp/uar serves what this product itself can do, governed like every tool and by the action of its route',
    source: 'DESIGN.md 12, API.md 8',
  },
  'mcp.memory-off': { text: '/mcp/memory is 404 while memory is off', source: 'API.md 8' },
  'mcp.one-upstream': {
    text: 'an endpoint per upstream shows its raw names, governed the same; 404 for what is not there for the caller',
    source: 'DESIGN.md 12',
  },
  'mcp.resource': {
    text: 'each endpoint has metadata, challenges and an audience of its own; none of it with a shared secret',
    source: 'API.md 8',
  },
  'mcp.session': {
    text: 'a session of another principal is 404; unknown sessions are 404',
    source: 'CASES.md T5',
  },
  'mcp.resume': {
    text: 'a client that lost a stream goes on after its last event id, and its call has run once',
    source: 'DESIGN.md 12, MCP 2025-11-25',
  },
  'mcp.batch': {
    text: 'batches are calls like others in the one revision that has them, and refused in all others',
    source: 'API.md 8, CASES.md G1',
  },
  'mcp.pair': {
    text: 'a client of HTTP with SSE (2024-11-05) is served at the same URL',
    source: 'DESIGN.md 12',
  },
  'mcp.end': { text: 'DELETE ends a session and its calls', source: 'API.md 8' },
  'mcp.restart': {
    text: 'after a restart sessions are 404 and clients begin anew',
    source: 'API.md 8, CASES.md T8',
  },
  'mcp.forms': {
    text: 'each outcome has its MCP form and io.uar/call in _meta',
    source: 'DESIGN.md 3, API.md 8',
  },
  'mcp.stateless': {
    text: 'a client of MCP 2026-07-28 finds the revision, lists and calls without a session, governed as others are',
    source: 'DESIGN.md 12, MCP 2026-07-28',
  },
  'mcp.stateless-approval': {
    text: 'a stateless client is sent to the page, and any gateway takes it when it comes back; the call runs once',
    source: 'DESIGN.md 9, MCP 2026-07-28',
  },
  'mcp.stateless-asks': {
    text: 'what an upstream with sessions asks during a stateless call is answered by the client that called, in as many requests as it takes, at any gateway, and by nobody else',
    source: 'DESIGN.md 12, MCP 2026-07-28',
  },
  'mcp.stateless-gateway-dies': {
    text: 'a stateless client that waits for a call of another gateway hears within 15 s that this one died, and nothing runs',
    source: 'DESIGN.md 9, MCP 2026-07-28',
  },
  'mcp.tasks': {
    text: 'a call that takes its time, or waits for a human, is a task of the stateless client that called and knows tasks; it ends as the call does, and is unknown to everybody else',
    source: 'SEP-2663',
  },
  'mcp.tasks-asks': {
    text: 'what an upstream asks during a task is shown by it and answered with tasks/update, in any portions; nothing of it is a vote',
    source: 'SEP-2663, DESIGN.md 9',
  },
  'mcp.tasks-anywhere': {
    text: 'any gateway reads, answers and cancels a task, and says that it may have run where its gateway died',
    source: 'SEP-2663, DESIGN.md 9',
  },
  'mcp.approval': {
    text: 'an MCP call that needs approval waits with progress and completes when approved',
    source: 'DESIGN.md 9',
  },
  'mcp.items': {
    text: 'resources, templates, prompts and completions of upstreams through every endpoint, by the names it shows',
    source: 'DESIGN.md 12, MCP 2025-11-25',
  },
  'mcp.subscriptions': {
    text: 'whoever subscribed to a resource hears of its updates, and nobody else',
    source: 'DESIGN.md 12, MCP 2025-11-25',
  },
  'mcp.asks': {
    text: 'an upstream asks the client that called for samples, forms, pages and roots, and gets its answer',
    source: 'DESIGN.md 12, MCP 2025-11-25',
  },
  'mcp.upstream-eras': {
    text: 'an upstream that speaks MCP 2026-07-28 alone serves clients of either era, and what it needs to know is asked of the client that called; the call is one',
    source: 'DESIGN.md 12, MCP 2026-07-28',
  },
  'mcp.seat': {
    text: 'what an upstream asks or tells of one client reaches no other, of the same principal or another',
    source: 'DESIGN.md 12, CASES.md T5',
  },
  'mcp.logging': {
    text: 'what an upstream logs for a client reaches it alone, from the level that it set',
    source: 'DESIGN.md 12, MCP 2025-11-25',
  },
  'native.files': {
    text: 'the file tools read, write and patch inside allowed paths only',
    source: 'CASES.md F1',
  },
  'native.off': { text: 'families that are off are not in the catalog', source: 'DESIGN.md 5' },
  'limits.rate': {
    text: 'beyond a configured rate calls are rate_limited with a Retry-After after which they pass, others undisturbed',
    source: 'DESIGN.md 3, CASES.md O7',
  },
  'limits.burst': {
    text: 'a burst of policies waits its turn or is 429 with a Retry-After, never unavailable for what the caller does',
    source: 'DESIGN.md 3',
  },
  'limits.quota': {
    text: 'a quota counts in the ledger: no more calls pass in its window, over a restart too, and Retry-After is its end',
    source: 'DESIGN.md 3, CASES.md O7',
  },
});
