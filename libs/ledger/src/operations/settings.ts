import { serversNamespace, type TenantId } from '@uar/contracts';
import type { SqlDatabase } from '../sql/database.js';
import type { Store } from '../store.js';
import type { ReceiptChains } from './receipts.js';

interface Row {
  tenant: TenantId;
  namespace: string;
  key: string;
  revision: number;
  value: string | null;
}

interface SettingsParts {
  readonly chains: Pick<ReceiptChains, 'append'>;
  readonly forgetAccounts: (tenant: string, server: string) => void;
}

/** A removed setting stays as a row without value: its revision goes on counting. */
export function settingsStore(
  database: SqlDatabase,
  { chains, forgetAccounts }: SettingsParts,
): Pick<Store, 'readSettings' | 'writeSetting'> {
  const list = database.prepare<[string], Row & { value: string }>(
    'SELECT * FROM settings WHERE namespace = ? AND value IS NOT NULL ORDER BY tenant, key',
  );
  const listOf = database.prepare<[string, string], Row & { value: string }>(
    'SELECT * FROM settings WHERE namespace = ? AND tenant = ? AND value IS NOT NULL ORDER BY key',
  );
  const find = database.prepare<[string, string, string], Row>(
    'SELECT * FROM settings WHERE namespace = ? AND tenant = ? AND key = ?',
  );
  const put = database.prepare<[string, string, string, number, string | null]>(
    `INSERT INTO settings (namespace, tenant, key, revision, value) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (namespace, tenant, key) DO UPDATE SET revision = excluded.revision, value = excluded.value`,
  );
  return {
    readSettings: ({ namespace, tenant, key }) => {
      const rows = tenant === undefined ? list.all(namespace) : listOf.all(namespace, tenant);
      const wanted = key === undefined ? rows : rows.filter((row) => row.key === key);
      return { settings: wanted.map((row) => ({ ...row, value: JSON.parse(row.value) })) };
    },
    writeSetting: ({ tenant, namespace, key, value, if_revision, receipt }) => {
      const row = find.get(namespace, tenant, key);
      const current = row === undefined || row.value === null ? 0 : row.revision;
      if (current !== if_revision) return { kind: 'conflict', revision: current };
      const revision = (row?.revision ?? 0) + 1;
      put.run(namespace, tenant, key, revision, value == null ? null : JSON.stringify(value));
      if (removesServer(namespace, value)) forgetAccounts(tenant, key);
      return {
        kind: 'written',
        revision,
        ...(receipt === undefined ? {} : { receipt: chains.append(receipt) }),
      };
    },
  };
}

/** As the registry writes it. */
function removesServer(namespace: string, value: unknown): boolean {
  if (namespace !== serversNamespace) return false;
  return value == null || (typeof value === 'object' && 'kind' in value && value.kind === 'deleted');
}
