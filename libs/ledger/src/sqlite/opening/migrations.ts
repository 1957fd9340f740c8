export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** Forward only: a released migration never changes, a change is a new one at the end. */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'settings, approvals, receipts, kept calls, claimed keys',
    sql: `
      CREATE TABLE settings (
        tenant TEXT NOT NULL, namespace TEXT NOT NULL, key TEXT NOT NULL,
        revision INTEGER NOT NULL, value TEXT,
        PRIMARY KEY (namespace, tenant, key)
      ) STRICT;

      CREATE TABLE approvals (
        approval_id TEXT NOT NULL PRIMARY KEY, tenant TEXT NOT NULL, call_id TEXT NOT NULL, requester TEXT NOT NULL,
        arguments_digest TEXT NOT NULL, definition_digest TEXT NOT NULL, status TEXT NOT NULL,
        created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, changed_at INTEGER NOT NULL, draft TEXT NOT NULL
      ) STRICT;
      CREATE INDEX approvals_by_tenant ON approvals (tenant, created_at, approval_id);
      CREATE INDEX approvals_by_status ON approvals (tenant, status, created_at, approval_id);
      CREATE INDEX approvals_by_requester ON approvals (requester, created_at);
      CREATE INDEX approvals_pending ON approvals (requester, expires_at) WHERE status = 'pending';
      CREATE INDEX approvals_open ON approvals (expires_at) WHERE status IN ('pending', 'approved');

      CREATE TABLE votes (
        approval_id TEXT NOT NULL REFERENCES approvals (approval_id), voter TEXT NOT NULL, decision TEXT NOT NULL,
        reason TEXT, at INTEGER NOT NULL, principal TEXT NOT NULL,
        UNIQUE (approval_id, voter, decision)
      ) STRICT;

      CREATE TABLE receipts (
        tenant TEXT NOT NULL, seq INTEGER NOT NULL, receipt TEXT NOT NULL,
        at TEXT GENERATED ALWAYS AS (json_extract(receipt, '$.at')) VIRTUAL,
        principal TEXT GENERATED ALWAYS AS (json_extract(receipt, '$.principal')) VIRTUAL,
        outcome TEXT GENERATED ALWAYS AS (json_extract(receipt, '$.outcome')) VIRTUAL,
        server TEXT GENERATED ALWAYS AS (json_extract(receipt, '$.tool.server')) VIRTUAL,
        raw_name TEXT GENERATED ALWAYS AS (json_extract(receipt, '$.tool.raw_name')) VIRTUAL,
        ended_call TEXT GENERATED ALWAYS AS (
          CASE WHEN json_extract(receipt, '$.kind') = 'outcome' THEN json_extract(receipt, '$.call_id') END
        ) VIRTUAL,
        UNIQUE (tenant, seq)
      ) STRICT;
      CREATE INDEX receipts_by_principal ON receipts (tenant, principal, seq);
      CREATE UNIQUE INDEX receipts_one_outcome ON receipts (tenant, ended_call) WHERE ended_call IS NOT NULL;
      CREATE INDEX receipts_by_outcome ON receipts (tenant, outcome, seq);

      CREATE TABLE kept_calls (
        tenant TEXT NOT NULL, call_id TEXT NOT NULL, principal TEXT NOT NULL, sealed_view TEXT NOT NULL,
        expires_at INTEGER NOT NULL,
        PRIMARY KEY (tenant, call_id)
      ) STRICT;
      CREATE INDEX kept_calls_by_expiry ON kept_calls (expires_at);

      CREATE TABLE claimed_keys (
        tenant TEXT NOT NULL, principal TEXT NOT NULL, key TEXT NOT NULL, request_digest TEXT NOT NULL,
        call_id TEXT NOT NULL, expires_at INTEGER NOT NULL,
        PRIMARY KEY (tenant, principal, key)
      ) STRICT;
      CREATE INDEX claimed_keys_by_expiry ON claimed_keys (expires_at);

      CREATE TABLE probe (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL, filler BLOB NOT NULL) STRICT;
      INSERT INTO probe VALUES (1, 0, x'');
    `,
  },
  {
    version: 2,
    name: 'how many lines the heads file is known to have',
    sql: `
      CREATE TABLE heads_written (id INTEGER PRIMARY KEY CHECK (id = 1), lines INTEGER NOT NULL) STRICT;
      INSERT INTO heads_written VALUES (1, 0);
    `,
  },
  {
    version: 3,
    name: 'runs',
    sql: `
      CREATE TABLE runs (
        tenant TEXT NOT NULL, run_id TEXT NOT NULL, revision INTEGER NOT NULL, run TEXT NOT NULL,
        kept_until INTEGER NOT NULL,
        PRIMARY KEY (tenant, run_id)
      ) STRICT;
      CREATE INDEX runs_by_kept_until ON runs (kept_until);
    `,
  },
  {
    version: 4,
    name: 'recorded decisions and the facts they rest on',
    sql: `
      CREATE TABLE decision_facts (
        id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, digest TEXT NOT NULL, sealed_facts TEXT NOT NULL,
        UNIQUE (tenant, digest)
      ) STRICT;
      CREATE TABLE decisions (
        seq INTEGER PRIMARY KEY, tenant TEXT NOT NULL, call_id TEXT NOT NULL, at INTEGER NOT NULL,
        facts INTEGER NOT NULL REFERENCES decision_facts (id), decided TEXT NOT NULL
      ) STRICT;
      CREATE INDEX decisions_by_tenant ON decisions (tenant, seq);
      CREATE INDEX decisions_by_facts ON decisions (facts);
    `,
  },
  {
    version: 5,
    name: 'what is spent of quotas',
    sql: `
      CREATE TABLE quota_spent (
        quota TEXT NOT NULL, bucket TEXT NOT NULL, window_ms INTEGER NOT NULL, ends_at INTEGER NOT NULL,
        spent INTEGER NOT NULL,
        PRIMARY KEY (quota, bucket)
      ) STRICT;
      CREATE INDEX quota_spent_by_end ON quota_spent (ends_at);
    `,
  },
  {
    version: 6,
    name: 'checkpoints that stand for removed receipts',
    sql: `
      CREATE TABLE checkpoints (
        tenant TEXT NOT NULL PRIMARY KEY, through_seq INTEGER NOT NULL, checkpoint TEXT NOT NULL
      ) STRICT;
    `,
  },
  {
    version: 7,
    name: 'messages to the webhook',
    sql: `
      CREATE TABLE deliveries (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, delivery_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL,
        approval_id TEXT NOT NULL, event TEXT NOT NULL, approval_status TEXT NOT NULL, status TEXT NOT NULL,
        attempts INTEGER NOT NULL, created_at INTEGER NOT NULL, due_at INTEGER NOT NULL, ended_at INTEGER, problem TEXT
      ) STRICT;
      CREATE INDEX deliveries_due ON deliveries (due_at, seq) WHERE status = 'pending';
      CREATE INDEX deliveries_of_approval ON deliveries (approval_id, seq) WHERE status = 'pending';
      CREATE INDEX deliveries_by_tenant ON deliveries (tenant, seq);
      CREATE INDEX deliveries_by_age ON deliveries (created_at);
      CREATE INDEX deliveries_ended ON deliveries (seq) WHERE status <> 'pending';
    `,
  },
  {
    version: 8,
    name: 'previews of arguments apart from approvals, erased once these are settled',
    sql: `
      CREATE TABLE approval_previews (
        approval_id TEXT NOT NULL PRIMARY KEY REFERENCES approvals (approval_id), preview TEXT NOT NULL
      ) STRICT;
      INSERT INTO approval_previews
        SELECT approval_id, json_extract(draft, '$.arguments_preview') FROM approvals WHERE status IN ('pending', 'approved');
      UPDATE approvals SET draft = json_set(draft, '$.arguments_preview', '');
      CREATE TRIGGER approval_preview_erased AFTER UPDATE OF status ON approvals
        WHEN NEW.status NOT IN ('pending', 'approved')
        BEGIN DELETE FROM approval_previews WHERE approval_id = NEW.approval_id; END;
    `,
  },
  {
    version: 9,
    name: 'which gateway has yet to end a call',
    // Of intents without an outcome nobody noted the gateway: they count as those of one that is gone.
    sql: `
      CREATE TABLE open_calls (
        tenant TEXT NOT NULL, call_id TEXT NOT NULL, gateway TEXT NOT NULL, approval_id TEXT, intent INTEGER,
        PRIMARY KEY (tenant, call_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX open_calls_by_gateway ON open_calls (gateway);
      INSERT INTO open_calls
        SELECT tenant, call_id, json_extract(draft, '$.gateway'), approval_id, NULL FROM approvals
        WHERE status IN ('pending', 'approved') AND NOT EXISTS (
          SELECT 1 FROM receipts AS ended WHERE ended.tenant = approvals.tenant AND ended.ended_call = approvals.call_id);
      INSERT OR REPLACE INTO open_calls
        SELECT tenant, json_extract(receipt, '$.call_id'), '0000000000000000', json_extract(receipt, '$.approval_id'), seq
        FROM receipts AS intent
        WHERE json_extract(receipt, '$.kind') = 'intent' AND json_extract(receipt, '$.call_id') IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM receipts AS ended
          WHERE ended.tenant = intent.tenant AND ended.ended_call = json_extract(intent.receipt, '$.call_id'));

      ALTER TABLE kept_calls ADD COLUMN gateway TEXT;
      ALTER TABLE kept_calls ADD COLUMN closed INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX kept_calls_pending ON kept_calls (gateway) WHERE gateway IS NOT NULL;
    `,
  },
  {
    version: 10,
    name: 'events of runs and tenants, and which runs are known to have ended by the clock',
    sql: `
      CREATE TABLE event_groups (
        tenant TEXT NOT NULL, last_position INTEGER NOT NULL, run_id TEXT, last_seq INTEGER, count INTEGER NOT NULL,
        at INTEGER NOT NULL, owner TEXT, sealed_events TEXT NOT NULL,
        UNIQUE (tenant, last_position)
      ) STRICT;
      CREATE INDEX event_groups_by_run ON event_groups (tenant, run_id, last_seq) WHERE run_id IS NOT NULL;
      CREATE TABLE event_tenants (
        tenant TEXT NOT NULL PRIMARY KEY, position INTEGER NOT NULL, dropped INTEGER NOT NULL, floor INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE event_runs (
        tenant TEXT NOT NULL, run_id TEXT NOT NULL, begins INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
        PRIMARY KEY (tenant, run_id)
      ) STRICT;
      CREATE INDEX event_runs_by_time ON event_runs (at);
      CREATE TABLE event_sources (source TEXT NOT NULL PRIMARY KEY, batch INTEGER NOT NULL, at INTEGER NOT NULL) STRICT;

      ALTER TABLE runs ADD COLUMN due_at INTEGER GENERATED ALWAYS AS (
        CASE WHEN json_extract(run, '$.status') = 'active' THEN json_extract(run, '$.expires_at') END
      ) VIRTUAL;
      ALTER TABLE runs ADD COLUMN end_told INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX runs_by_due ON runs (due_at) WHERE due_at IS NOT NULL AND end_told = 0;
    `,
  },
  {
    version: 11,
    name: 'which one of its requester an approval is, so that those of a minute need not be counted',
    sql: `
      ALTER TABLE approvals ADD COLUMN nth INTEGER NOT NULL DEFAULT 0;
      UPDATE approvals SET nth = placed.nth FROM (
        SELECT approval_id, row_number() OVER (PARTITION BY requester ORDER BY created_at, approval_id) AS nth FROM approvals
      ) AS placed WHERE placed.approval_id = approvals.approval_id;
      DROP INDEX approvals_by_requester;
      CREATE INDEX approvals_by_requester ON approvals (requester, created_at, nth);
    `,
  },
  {
    version: 12,
    name: 'credentials for upstreams, and authorizations that browsers bring back',
    sql: `
      CREATE TABLE accounts (
        tenant TEXT NOT NULL, server TEXT NOT NULL, principal TEXT NOT NULL, revision INTEGER NOT NULL, binding TEXT,
        sealed TEXT, holder TEXT, held_until INTEGER NOT NULL,
        PRIMARY KEY (tenant, server, principal)
      ) STRICT;
      CREATE TABLE authorizations (
        state_digest TEXT NOT NULL PRIMARY KEY, tenant TEXT NOT NULL, server TEXT NOT NULL, principal TEXT NOT NULL,
        sealed TEXT, expires_at INTEGER NOT NULL, kept_until INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX authorizations_by_account ON authorizations (tenant, server, principal);
      CREATE INDEX authorizations_by_end ON authorizations (kept_until);
    `,
  },
];
