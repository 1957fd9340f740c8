import { chapter } from './chapter.js';

/** How it starts, stops and is run: edge, settings, command line, dev proxy. */
export const running = chapter({
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
  'recovery.intents': {
    text: 'a gateway killed right after dispatch leaves one may_have_run receipt',
    source: 'DESIGN.md 9',
  },
  'recovery.kept-calls': {
    text: 'a kept call of a gateway that died says how it ended, to any replica and after a restart of everything',
    source: 'DESIGN.md 9',
  },
  'proxy.forward': { text: 'the dev proxy mints a token and forwards HTTP', source: 'DESIGN.md 14' },
  'proxy.guard': {
    text: 'no web page, rebinding host or foreign WebSocket gets through the dev proxy',
    source: 'CASES.md D1',
  },
  'edge.bombs': {
    text: 'oversized bodies, depth, key floods and headers are 4xx in bounded time',
    source: 'CASES.md O1',
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
  'events.run': {
    text: 'a run shows what happens to its calls as it happens, with the same outcome as answer and receipt',
    source: 'DESIGN.md 11, API.md 4',
  },
  'events.resume': {
    text: 'a client that comes back with the last id it has loses nothing and gets nothing twice, also after a restart',
    source: 'DESIGN.md 11, API.md 4',
  },
  'events.tenant': {
    text: 'other tenants and principals see nothing; the tenant-wide stream shows no arguments and results',
    source: 'DESIGN.md 11, CASES.md O3',
  },
  'events.approval': {
    text: 'a decision sent the moment call.approval_required arrives is never 404',
    source: 'CASES.md H10',
  },
  'events.websocket': {
    text: 'the tenant-wide stream is a WebSocket too, also through the dev proxy',
    source: 'API.md 4, DESIGN.md 14',
  },
  'events.agui': {
    text: '?profile=agui gives events of the AG-UI protocol, from the start of a run to its end',
    source: 'DESIGN.md 11',
  },
  'events.slow': {
    text: 'clients that never read neither grow the gateway nor hold up calls',
    source: 'DESIGN.md 11, CASES.md O7',
  },
  'openapi.served': { text: 'openapi.json describes the routes', source: 'API.md' },
  'cli.policy': {
    text: 'the command line checks, tests, explains and simulates policies',
    source: 'API.md 10',
  },
  'cli.calls': {
    text: 'the command line calls, lists, decides and verifies with its exit codes',
    source: 'API.md 10',
  },
  'chaos.promises': {
    text: 'whatever is killed or stopped, nothing runs twice, without its approval or against its word, and every history agrees with the chain',
    source: 'DESIGN.md 3 9 11, CASES.md C3 H2 H3 H4',
  },
  'ledger.full': {
    text: 'a ledger that cannot be written (full, locked) makes calls unavailable, refuses votes, shows in /readyz, loses nothing acknowledged and recovers by itself',
    source: 'CASES.md O5, DESIGN.md 11',
  },
  'ledger.postgres': {
    text: 'a ledger in PostgreSQL is checked and verified by the command line, which names pg_dump and pg_restore for the rest',
    source: 'DESIGN.md 13, API.md 10',
  },
  'ledger.postgres-gone': {
    text: 'PostgreSQL killed while a call waits: calls are unavailable meanwhile, the waiting one is decided afterwards and runs once',
    source: 'CASES.md O5 H4, DESIGN.md 13',
  },
  'replicas.share': {
    text: 'two gateways, deciders and approval-services on one PostgreSQL act as one: every call is decided through another and runs once',
    source: 'DESIGN.md 1 13, CASES.md H2 H3',
  },
  'replicas.dies': {
    text: 'kill -9 of one approval-service loses nothing, and what it did unasked another does within seconds',
    source: 'DESIGN.md 13, CASES.md H4',
  },
  'replicas.webhook': {
    text: 'each message is sent once, whichever approval-service wrote it',
    source: 'DESIGN.md 9 13',
  },
  'ledger.backup': {
    text: 'a running product is backed up into one verified file of its owner',
    source: 'DESIGN.md 13',
  },
  'ledger.restore': {
    text: 'a restore gives up only what was named, leaves a receipt, and whoever kept a head still sees the cut',
    source: 'DESIGN.md 13, API.md 7',
  },
  'ledger.damaged': {
    text: 'a damaged, foreign, cut or missing ledger stops the start, names the file and the way out, and is not replaced',
    source: 'DESIGN.md 13, CASES.md O5',
  },
  'receipts.retention': {
    text: 'receipts older than the retention go, behind a signed checkpoint with which the chain still verifies',
    source: 'API.md 7, CASES.md O5',
  },
  'receipts.export': {
    text: 'a chain of 50,000 receipts is exported whole and verified offline within seconds',
    source: 'API.md 7, 10',
  },
});
