import { chapter } from './chapter.js';

/** Who may: identity, policies, approvals, runs and agents, and the receipts of it all. */
export const governing = chapter({
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
  'approval.preview': {
    text: 'an approver sees the received arguments whole, hidden characters shown and secrets starred, until it is settled',
    source: 'CASES.md H11',
  },
  'approval.replicas': {
    text: 'a call waits at one gateway, is decided through another, and runs once',
    source: 'CASES.md H3',
  },
  'approval.gateway-dies': {
    text: 'a killed gateway leaves its waiting calls channel_closed within 3 s; nothing of them ever runs',
    source: 'DESIGN.md 9',
  },
  'approval.service-restarts': {
    text: 'a killed approval-service loses nothing: the call is decided afterwards and runs once',
    source: 'CASES.md H4',
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
  'identity.scopes': {
    text: 'a token with scopes does what they cover and no more; what is missing is named before anything runs',
    source: 'API.md 8, DESIGN.md 12',
  },
  'identity.no-leak': { text: 'the token and planted secrets appear nowhere', source: 'CASES.md A6 O3' },
  'runs.narrow': {
    text: 'scopes of a run narrow list and calls: run_denied for what it leaves out, unknown_tool for what is not to be seen',
    source: 'API.md 4, DESIGN.md 6',
  },
  'runs.approval': {
    text: 'tool_approval ask shows every call to a human, deny refuses what would need one',
    source: 'DESIGN.md 6',
  },
  'runs.decide': {
    text: 'the approval that a run waits for is decided by the run alone, and named where there are several',
    source: 'API.md 4',
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
  'webhook.signed': {
    text: 'each step of an approval is told to the webhook, signed, without arguments',
    source: 'DESIGN.md 9, API.md 1',
  },
  'webhook.retry': {
    text: 'a message that did not arrive is sent again, in order, and nobody waits for it',
    source: 'DESIGN.md 9',
  },
  'webhook.dead-letter': {
    text: 'a message that was given up is listed, and sent again by an administrator with a receipt',
    source: 'docs/webhooks.md',
  },
  'approval.page': {
    text: 'a page shows everything that a decision needs, as text, takes the vote, and can be used by everybody',
    source: 'DESIGN.md 9',
  },
  'approval.page-identity': {
    text: 'the page knows its visitor by a token alone, and takes no vote that another site sent',
    source: 'API.md 7, CASES.md A9',
  },
  'mcp.elicitation': {
    text: 'a waiting MCP client that declared url elicitation is sent to the page; its answer is no vote',
    source: 'DESIGN.md 9, MCP 2025-11-25',
  },
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
});
