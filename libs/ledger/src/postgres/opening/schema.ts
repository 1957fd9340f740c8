export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/**
 * Forward only, as for SQLite, with the same number for the same meaning; what came before the first is in it. `rowid`:
 * the order of writing, which
 * SQLite gives every table. TEXT here is text in the order that SQLite has, of its bytes.
 */
export const migrations: readonly Migration[] = [
  {
    version: 10,
    name: 'everything that a ledger file has at schema 10, and the signed heads',
    sql: `
      CREATE TABLE settings (
        tenant TEXT NOT NULL, namespace TEXT NOT NULL, key TEXT NOT NULL, revision bigint NOT NULL, value TEXT,
        PRIMARY KEY (namespace, tenant, key)
      );

      CREATE TABLE approvals (
        approval_id TEXT NOT NULL PRIMARY KEY, tenant TEXT NOT NULL, call_id TEXT NOT NULL, requester TEXT NOT NULL,
        arguments_digest TEXT NOT NULL, definition_digest TEXT NOT NULL, status TEXT NOT NULL,
        created_at bigint NOT NULL, expires_at bigint NOT NULL, changed_at bigint NOT NULL, draft TEXT NOT NULL
      );
      CREATE INDEX approvals_by_tenant ON approvals (tenant, created_at, approval_id);
      CREATE INDEX approvals_by_status ON approvals (tenant, status, created_at, approval_id);
      CREATE INDEX approvals_by_requester ON approvals (requester, created_at);
      CREATE INDEX approvals_pending ON approvals (requester, expires_at) WHERE status = 'pending';
      CREATE INDEX approvals_open ON approvals (expires_at) WHERE status IN ('pending', 'approved');

      CREATE TABLE approval_previews (
        approval_id TEXT NOT NULL PRIMARY KEY REFERENCES approvals (approval_id), preview TEXT NOT NULL
      );
      CREATE FUNCTION erase_approval_preview() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN DELETE FROM approval_previews WHERE approval_id = NEW.approval_id; RETURN NULL; END $$;
      CREATE TRIGGER approval_preview_erased AFTER UPDATE OF status ON approvals FOR EACH ROW
        WHEN (NEW.status NOT IN ('pending', 'approved')) EXECUTE FUNCTION erase_approval_preview();

      CREATE TABLE votes (
        rowid bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        approval_id TEXT NOT NULL REFERENCES approvals (approval_id), voter TEXT NOT NULL, decision TEXT NOT NULL,
        reason TEXT, at bigint NOT NULL, principal TEXT NOT NULL,
        UNIQUE (approval_id, voter, decision)
      );

      CREATE TABLE receipts (
        tenant TEXT NOT NULL, seq bigint NOT NULL, receipt TEXT NOT NULL, at TEXT, principal TEXT, outcome TEXT,
        server TEXT, raw_name TEXT, ended_call TEXT,
        PRIMARY KEY (tenant, seq)
      );
      CREATE INDEX receipts_by_principal ON receipts (tenant, principal, seq);
      CREATE UNIQUE INDEX receipts_one_outcome ON receipts (tenant, ended_call) WHERE ended_call IS NOT NULL;
      CREATE INDEX receipts_by_outcome ON receipts (tenant, outcome, seq);

      CREATE TABLE checkpoints (tenant TEXT NOT NULL PRIMARY KEY, through_seq bigint NOT NULL, checkpoint TEXT NOT NULL);
      CREATE TABLE signed_heads (
        tenant TEXT NOT NULL, seq bigint NOT NULL, line TEXT NOT NULL, PRIMARY KEY (tenant, seq)
      );
      CREATE TABLE heads_written (id bigint PRIMARY KEY CHECK (id = 1), lines bigint NOT NULL);
      INSERT INTO heads_written VALUES (1, 0);

      CREATE TABLE kept_calls (
        tenant TEXT NOT NULL, call_id TEXT NOT NULL, principal TEXT NOT NULL, sealed_view TEXT NOT NULL,
        expires_at bigint NOT NULL, gateway TEXT, closed bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (tenant, call_id)
      );
      CREATE INDEX kept_calls_by_expiry ON kept_calls (expires_at);
      CREATE INDEX kept_calls_pending ON kept_calls (gateway) WHERE gateway IS NOT NULL;

      CREATE TABLE claimed_keys (
        tenant TEXT NOT NULL, principal TEXT NOT NULL, key TEXT NOT NULL, request_digest TEXT NOT NULL,
        call_id TEXT NOT NULL, expires_at bigint NOT NULL,
        PRIMARY KEY (tenant, principal, key)
      );
      CREATE INDEX claimed_keys_by_expiry ON claimed_keys (expires_at);

      CREATE TABLE open_calls (
        tenant TEXT NOT NULL, call_id TEXT NOT NULL, gateway TEXT NOT NULL, approval_id TEXT, intent bigint,
        PRIMARY KEY (tenant, call_id)
      );
      CREATE INDEX open_calls_by_gateway ON open_calls (gateway);

      CREATE TABLE runs (
        tenant TEXT NOT NULL, run_id TEXT NOT NULL, revision bigint NOT NULL, run TEXT NOT NULL, kept_until bigint NOT NULL,
        due_at bigint, end_told bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (tenant, run_id)
      );
      CREATE INDEX runs_by_kept_until ON runs (kept_until);
      CREATE INDEX runs_by_due ON runs (due_at) WHERE due_at IS NOT NULL AND end_told = 0;

      CREATE TABLE decision_facts (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant TEXT NOT NULL, digest TEXT NOT NULL,
        sealed_facts TEXT NOT NULL,
        UNIQUE (tenant, digest)
      );
      CREATE TABLE decisions (
        seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant TEXT NOT NULL, call_id TEXT NOT NULL,
        at bigint NOT NULL, facts bigint NOT NULL REFERENCES decision_facts (id), decided TEXT NOT NULL
      );
      CREATE INDEX decisions_by_tenant ON decisions (tenant, seq);
      CREATE INDEX decisions_by_facts ON decisions (facts);

      CREATE TABLE quota_spent (
        quota TEXT NOT NULL, bucket TEXT NOT NULL, window_ms bigint NOT NULL, ends_at bigint NOT NULL,
        spent bigint NOT NULL,
        PRIMARY KEY (quota, bucket)
      );
      CREATE INDEX quota_spent_by_end ON quota_spent (ends_at);

      CREATE TABLE deliveries (
        seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, delivery_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL,
        approval_id TEXT NOT NULL, event TEXT NOT NULL, approval_status TEXT NOT NULL, status TEXT NOT NULL,
        attempts bigint NOT NULL, created_at bigint NOT NULL, due_at bigint NOT NULL, ended_at bigint, problem TEXT
      );
      CREATE INDEX deliveries_due ON deliveries (due_at, seq) WHERE status = 'pending';
      CREATE INDEX deliveries_of_approval ON deliveries (approval_id, seq) WHERE status = 'pending';
      CREATE INDEX deliveries_by_tenant ON deliveries (tenant, seq);
      CREATE INDEX deliveries_by_age ON deliveries (created_at);
      CREATE INDEX deliveries_ended ON deliveries (seq) WHERE status <> 'pending';

      CREATE TABLE event_groups (
        rowid bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        tenant TEXT NOT NULL, last_position bigint NOT NULL, run_id TEXT, last_seq bigint, count bigint NOT NULL,
        at bigint NOT NULL, owner TEXT, sealed_events TEXT NOT NULL,
        UNIQUE (tenant, last_position)
      );
      CREATE INDEX event_groups_by_run ON event_groups (tenant, run_id, last_seq) WHERE run_id IS NOT NULL;
      CREATE TABLE event_tenants (
        tenant TEXT NOT NULL PRIMARY KEY, position bigint NOT NULL, dropped bigint NOT NULL, floor bigint NOT NULL
      );
      CREATE TABLE event_runs (
        tenant TEXT NOT NULL, run_id TEXT NOT NULL, begins bigint NOT NULL, seq bigint NOT NULL, at bigint NOT NULL,
        PRIMARY KEY (tenant, run_id)
      );
      CREATE INDEX event_runs_by_time ON event_runs (at);
      CREATE TABLE event_sources (source TEXT NOT NULL PRIMARY KEY, batch bigint NOT NULL, at bigint NOT NULL);

      CREATE TABLE probe (id bigint PRIMARY KEY CHECK (id = 1), count bigint NOT NULL, filler bytea NOT NULL);
      INSERT INTO probe VALUES (1, 0, '');
    `,
  },
  {
    version: 11,
    name: 'which one of its requester an approval is, so that those of a minute need not be counted',
    sql: `
      ALTER TABLE approvals ADD COLUMN nth bigint NOT NULL DEFAULT 0;
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
        tenant TEXT NOT NULL, server TEXT NOT NULL, principal TEXT NOT NULL, revision bigint NOT NULL, binding TEXT,
        sealed TEXT, holder TEXT, held_until bigint NOT NULL,
        PRIMARY KEY (tenant, server, principal)
      );
      CREATE TABLE authorizations (
        state_digest TEXT NOT NULL PRIMARY KEY, tenant TEXT NOT NULL, server TEXT NOT NULL, principal TEXT NOT NULL,
        sealed TEXT, expires_at bigint NOT NULL, kept_until bigint NOT NULL
      );
      CREATE INDEX authorizations_by_account ON authorizations (tenant, server, principal);
      CREATE INDEX authorizations_by_end ON authorizations (kept_until);
    `,
  },
];
