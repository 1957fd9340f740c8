/** A promise of the product: what it says, and where it was made. Tests cite it by id (`keeps`). */
export interface Requirement {
  readonly text: string;
  readonly source: string;
}

const requirement = <R extends Readonly<Record<string, Requirement>>>(all: R): R => all;

/** Every promise that holds by now. `coverage.e2e.spec.ts` fails when one has no test. */
export const requirements = requirement({
  'start.one-process': {
    text: 'without a nats-server every service runs in one process',
    source: 'API.md 1',
  },
  'start.process-per-service': { text: 'with NATS each service is its own process', source: 'API.md 1' },
  'start.endpoints': {
    text: 'endpoints.json names gateway, proxy, management and pid while it runs',
    source: 'API.md 1',
  },
  'start.stop': { text: 'SIGINT ends everything and leaves no process', source: 'DESIGN.md 10' },
  'start.bad-config': {
    text: 'a bad configuration stops the start with every problem listed',
    source: 'API.md 1',
  },
  'probes.health': {
    text: '/healthz and /readyz answer without a token; /metrics only on the management port',
    source: 'API.md 7',
  },
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
  'policy.forbid-file': {
    text: 'a forbid in a policy file gives policy_denied within 2 s',
    source: 'GOVERNANCE.md 6',
  },
  'policy.broken-reload': {
    text: 'a broken reload keeps the old set and /readyz says so',
    source: 'CASES.md G6',
  },
  'policy.decider-down': {
    text: 'without the PDP calls and lists are unavailable and nothing runs',
    source: 'CASES.md G5',
  },
  'policy.no-way-around': {
    text: 'batches, other content types, odd members and duplicates never reach a tool',
    source: 'CASES.md G1',
  },
  'policy.entity-arguments': {
    text: 'arguments shaped like entities or extension values change nothing',
    source: 'CASES.md G8',
  },
  'policy.hidden-tool': {
    text: 'a tool hidden from the list is not callable by name',
    source: 'CASES.md G2',
  },
  'policy.refused-put': {
    text: 'a set with a fault is refused by API with policy, place and nearest match; the old one decides',
    source: 'API.md 6',
  },
  'policy.missing-guard': {
    text: 'a missing guard of the platform refuses every set, in the folder and by API',
    source: 'GOVERNANCE.md 6',
  },
  'policy.put': {
    text: 'a set written by API decides from then on and leaves a receipt',
    source: 'API.md 6',
  },
  'policy.if-version': { text: 'a write against another version is 409 and names it', source: 'API.md 6' },
  'policy.dry-run': { text: 'a dry run tells the differences and changes nothing', source: 'API.md 6' },
  'policy.authority': {
    text: 'a set written by API wins over the folder until DELETE; edits meanwhile are drift',
    source: 'API.md 6',
  },
  'policy.rollback': { text: 'a version that was in force can come back', source: 'GOVERNANCE.md 6' },
  'policy.proposal': {
    text: 'a proposal is found sound, kept, and put in force once',
    source: 'API.md 6',
  },
  'policy.schema': {
    text: 'the Cedar schema is served with the part of the live catalog',
    source: 'API.md 6',
  },
  'approval.approve': {
    text: 'a user writing waits, the approval is listed, approving executes once',
    source: 'DESIGN.md 9',
  },
  'approval.reject': { text: 'rejecting gives approval_rejected and nothing runs', source: 'DESIGN.md 9' },
  'approval.join': {
    text: 'an identical retry while pending joins: one call, one execution',
    source: 'CASES.md H5',
  },
  'approval.once': {
    text: 'approve and reject at once: one wins, the other gets 409',
    source: 'CASES.md H8',
  },
  'approval.gone': {
    text: 'approving after cancel or after the waiter left is 409 and nothing runs',
    source: 'CASES.md H9',
  },
  'approval.revoked': {
    text: 'a permission revoked while waiting is policy_denied at dispatch',
    source: 'CASES.md H6',
  },
  'approval.timeout': { text: 'nobody decides in time: approval_timeout', source: 'DESIGN.md 3' },
  'approval.other-user': {
    text: 'a user may not decide its own or others requests without the right',
    source: 'CASES.md H7',
  },
  'receipts.verify': {
    text: 'the chain verifies; a changed byte or a dropped last receipt shows',
    source: 'DESIGN.md 11',
  },
  'receipts.intent': {
    text: 'a writing tool leaves an intent before and an outcome after',
    source: 'DESIGN.md 11',
  },
  'receipts.no-content': {
    text: 'receipts hold digests and sizes, never arguments or results',
    source: 'CASES.md O3',
  },
  'identity.required': {
    text: 'without a valid token every route but the public ones is 401',
    source: 'API.md',
  },
  'identity.hostile-tokens': {
    text: 'alg none, foreign keys, bad claims are 401',
    source: 'CASES.md A1 A4 A8',
  },
  'identity.two-headers': {
    text: 'two Authorization headers are 400, a token in the query is ignored',
    source: 'CASES.md A9',
  },
  'identity.no-leak': { text: 'the token and planted secrets appear nowhere', source: 'CASES.md A6 O3' },
  'servers.put': {
    text: 'a server registered by API serves its tools; DELETE withdraws them',
    source: 'API.md 3',
  },
  'servers.refusals': {
    text: 'reserved, look-alike and colliding names, missing placeholders and dead servers are refused',
    source: 'CASES.md N3 N10',
  },
  'servers.restart': { text: 'a server set by API survives a restart', source: 'API.md 1' },
  'servers.dead': {
    text: 'a dead upstream is named as missing beside the tools of the others',
    source: 'CASES.md N6',
  },
  'pin.block': {
    text: 'under block a changed or later definition is quarantined within a second, and what waits for it ends',
    source: 'DESIGN.md 5',
  },
  'pin.review': {
    text: 'a change is shown with its differences; accepting serves the tool again, rejecting keeps it out',
    source: 'API.md 3',
  },
  'pin.warn': { text: 'under warn a changed definition is served, with a warning', source: 'API.md 3' },
  'pin.flags': {
    text: 'what hides or instructs in a description is quarantined under warn too, and stays so after a restart',
    source: 'CASES.md N11',
  },
  'catalog.huge-list': {
    text: 'an upstream with 5,000 tools is listed whole and calls go on meanwhile',
    source: 'CASES.md O2',
  },
  'catalog.pages': {
    text: 'all pages are listed; a repeated cursor ends the walk and is marked',
    source: 'CASES.md N5',
  },
  'catalog.names': {
    text: 'long, odd and colliding raw names get distinct callable public names',
    source: 'CASES.md N1 N2 N9',
  },
  'stdio.hostile': {
    text: 'noise, stderr floods and stubborn children harm nobody and leave no process',
    source: 'CASES.md P1 P2 P3',
  },
  'mcp.client': {
    text: 'an unmodified official client lists and calls through /mcp',
    source: 'DESIGN.md 12',
  },
  'mcp.session': {
    text: 'a session of another principal is 404; unknown sessions are 404',
    source: 'CASES.md T5',
  },
  'mcp.forms': {
    text: 'each outcome has its MCP form and io.uar/call in _meta',
    source: 'DESIGN.md 3, API.md 8',
  },
  'mcp.approval': {
    text: 'an MCP call that needs approval waits with progress and completes when approved',
    source: 'DESIGN.md 9',
  },
  'native.files': {
    text: 'the file tools read, write and patch inside allowed paths only',
    source: 'CASES.md F1',
  },
  'native.off': { text: 'families that are off are not in the catalog', source: 'DESIGN.md 5' },
  'proxy.forward': { text: 'the dev proxy mints a token and forwards HTTP', source: 'DESIGN.md 14' },
  'proxy.guard': {
    text: 'no web page, rebinding host or foreign WebSocket gets through the dev proxy',
    source: 'CASES.md D1',
  },
  'edge.bombs': {
    text: 'oversized bodies, depth, key floods and headers are 4xx in bounded time',
    source: 'CASES.md O1',
  },
  'runs.narrow': {
    text: 'scopes of a run narrow list and calls: run_denied for what it leaves out, unknown_tool for what is not to be seen',
    source: 'API.md 4, DESIGN.md 6',
  },
  'runs.approval': {
    text: 'tool_approval ask shows every call to a human, deny refuses what would need one',
    source: 'DESIGN.md 6',
  },
  'runs.cancel': {
    text: 'cancelling a run ends its pending approvals and its calls in flight',
    source: 'DESIGN.md 6',
  },
  'runs.patch': { text: 'a run can be narrowed and never widened', source: 'API.md 4' },
  'runs.policy': {
    text: 'the global scope applies within 1 s without restart and is on record',
    source: 'API.md 7',
  },
  'runs.session': { text: 'an MCP session is a run like any other', source: 'DESIGN.md 6' },
  'agents.scope': {
    text: 'an unregistered agent is run_denied, a registered one has its scope, its risk ceiling and its capabilities',
    source: 'API.md 4, GOVERNANCE.md 1',
  },
  'runs.agent': {
    text: 'in a run of an agent the agent must be allowed beside the user, and suspending it ends what is called there',
    source: 'GOVERNANCE.md 1, DESIGN.md 6',
  },
  'capabilities.ceilings': {
    text: 'capabilities of token, agent and run each narrow what may be called',
    source: 'DESIGN.md 6',
  },
  'settings.kill-switch': {
    text: 'the kill switch denies every call of the tenant within 1 s, takes no approving vote, and lets them pass again when it is off',
    source: 'API.md 7',
  },
  'settings.risk': {
    text: 'max_unattended_risk set by API asks a human for what ran unattended before',
    source: 'API.md 7, GOVERNANCE.md 1',
  },
  'settings.suspended': {
    text: 'a suspended user is denied everything and its pending approvals end',
    source: 'API.md 7, DESIGN.md 9',
  },
  'settings.authority': {
    text: 'settings survive a restart, win over an edited file and show the drift; null gives a member back',
    source: 'API.md 1',
  },
  'settings.native-tools': {
    text: 'a family of native tools is switched on and off within 1 s; one that does not exist is refused',
    source: 'API.md 7',
  },
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
  'openapi.served': { text: 'openapi.json describes the routes', source: 'API.md' },
  'policy.explain': {
    text: 'a decision is explained stage by stage: what decided, which gate asked, what would have to change',
    source: 'GOVERNANCE.md 6',
  },
  'policy.simulate': {
    text: 'a simulation agrees with live calls, and says what a candidate would change',
    source: 'GOVERNANCE.md 6',
  },
  'policy.replay': {
    text: 'a replay lists exactly those recorded decisions that a candidate makes differently',
    source: 'GOVERNANCE.md 6',
  },
  'policy.shadow': {
    text: 'a shadow counts and lists what a candidate would decide otherwise, and decides nothing',
    source: 'GOVERNANCE.md 6',
  },
  'cli.policy': {
    text: 'the command line checks, tests, explains and simulates policies',
    source: 'API.md 10',
  },
  'cli.calls': {
    text: 'the command line calls, lists, decides and verifies with its exit codes',
    source: 'API.md 10',
  },
});

export type RequirementId = keyof typeof requirements;
