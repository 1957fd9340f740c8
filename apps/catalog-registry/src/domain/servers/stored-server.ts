import { ServerConfig } from '@uar/contracts';
import { z } from 'zod';
import type { Setting, Vault } from '../ports.js';
import type { StoredServer, StoredValue } from './desired-servers.js';

const StoredSetting = z.discriminatedUnion('kind', [
  /** The whole configuration is sealed: secrets stand in arguments and addresses too. */
  z.strictObject({ kind: z.literal('server'), sealed: z.string() }),
  z.strictObject({ kind: z.literal('deleted') }),
]);

const Sealed = z.strictObject({ config: ServerConfig, file_digest: z.string().optional() });

export function toSetting(
  server: { readonly tenant: string; readonly name: string; readonly value: StoredValue },
  vault: Vault,
): z.output<typeof StoredSetting> {
  const { value } = server;
  if (value.kind === 'deleted') return { kind: 'deleted' };
  const plain = JSON.stringify({ config: value.config, file_digest: value.fileDigest });
  return { kind: 'server', sealed: vault.seal(plain, purposeOf(server.tenant, server.name)) };
}

/** Undefined: not written by us, or sealed with another key. */
export function fromSetting(setting: Setting, vault: Vault): StoredServer | undefined {
  const { tenant, key: name, revision: settingRevision } = setting;
  const parsed = StoredSetting.safeParse(setting.value);
  if (!parsed.success) return undefined;
  if (parsed.data.kind === 'deleted') return { tenant, name, settingRevision, value: { kind: 'deleted' } };
  const plain = vault.open(parsed.data.sealed, purposeOf(tenant, name));
  const opened = plain === undefined ? undefined : Sealed.safeParse(JSON.parse(plain)).data;
  if (opened === undefined) return undefined;
  const { config, file_digest: fileDigest } = opened;
  const value: StoredValue = { kind: 'server', config, ...(fileDigest === undefined ? {} : { fileDigest }) };
  return { tenant, name, settingRevision, value };
}

function purposeOf(tenant: string, name: string): string {
  return `server/${tenant}/${name}`;
}
