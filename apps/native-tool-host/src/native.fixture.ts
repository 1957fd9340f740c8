import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reply } from '@uar/bus';
import { definitionDigest } from '@uar/catalog';
import {
  CallId,
  hostBeat,
  hosts,
  readSettings,
  settingsChanged,
  TenantId,
  type AskOf,
  type BodyOf,
  type Setting,
} from '@uar/contracts';
import { createGrantSigner } from '@uar/grant';
import { argumentsDigest } from '@uar/json-text';
import { ensureSigningKeys, readPrivateKey } from '@uar/keys';
import { createLog } from '@uar/telemetry';
import { testConfig, type ConnectBus } from '@uar/testkit';
import { service } from './module.js';

export type RunAsk = AskOf<typeof hosts.native.run>;
type Beat = BodyOf<typeof hostBeat>;

export const tenant = TenantId.parse('default');
export const log = createLog({ service: 'test', level: 'silent' });

/** The settings of native tools as the approval-service holds them. */
interface NativeLedger {
  put(value: unknown): void;
}

export async function nativeSettings(connect: ConnectBus): Promise<NativeLedger> {
  const bus = await connect('approval-service');
  const place = { tenant, namespace: 'native-tools', key: 'settings' };
  let settings: Setting[] = [];
  let revision = 0;
  bus.answer(readSettings, ({ namespace }) => ({
    settings: namespace === place.namespace ? settings : [],
  }));
  await bus.flush();
  return {
    put: (value) => {
      revision += 1;
      settings = [{ ...place, revision, value }];
      bus.announce(settingsChanged, place);
    },
  };
}

/** The service with one family on and everything around it. */
export async function nativeWorld(connect: ConnectBus) {
  const beats: Beat[] = [];
  const awaited: ((beat: Beat) => void)[] = [];
  let calls = 0;

  function nextBeat(): Promise<Beat> {
    return new Promise((resolve) => awaited.push(resolve));
  }

  async function definitions(): Promise<Map<string, string>> {
    const reply = await registry.ask(
      hosts.native.listTools,
      { tenant, server: 'native' },
      { to: host.instance },
    );
    if (reply.kind !== 'answered' || reply.value.kind !== 'listed') throw new Error('no list');
    const named = reply.value.definitions.map((text): [string, string] => {
      const tool: { name: string } = JSON.parse(text);
      return [tool.name, text];
    });
    return new Map(named);
  }

  /** A granted ask; `changes` happen after the grant was signed. */
  async function granted(
    name: string,
    args: unknown,
    changes: Partial<RunAsk> = {},
    signer = createGrantSigner(readPrivateKey(join(folder, 'grant.key'))),
  ): Promise<RunAsk> {
    calls += 1;
    const arguments_json = JSON.stringify(args);
    const call = {
      call_id: CallId.parse(`call_${calls.toString(16).padStart(32, '0')}`),
      tenant,
      server: 'native',
      raw_name: name,
      definition_digest: definitionDigest((await definitions()).get(name) ?? ''),
    };
    const grant = signer.sign({
      ...call,
      principal: 'User::"default/dev"',
      method: 'tools/call',
      host: 'native',
      instance: host.instance,
      arguments_digest: argumentsDigest(arguments_json),
      policy_version: 'p1',
      issued_at: Date.now(),
      expires_at: Date.now() + 30_000,
    });
    return {
      ...call,
      grant,
      arguments_json,
      timeout_ms: 10_000,
      max_result_bytes: 1_000_000,
      wants_progress: false,
      ...changes,
    };
  }

  function run(ask: RunAsk): Promise<Reply<typeof hosts.native.run>> {
    return gateway.ask(hosts.native.run, ask, { to: host.instance });
  }

  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'uar-native-')));
  mkdirSync(join(folder, 'work'));
  ensureSigningKeys(join(folder, 'grant.key'), join(folder, 'grant.pub'));
  const config = testConfig({
    data_dir: join(folder, 'data'),
    keys: { grant_public_file: join(folder, 'grant.pub') },
    native_tools: { file_tools_enabled: true, file_allowed_paths: [join(folder, 'work')] },
  });
  const host = await connect('native-tool-host');
  const gateway = await connect('gateway');
  const registry = await connect('catalog-registry');
  const ledger = await nativeSettings(connect);
  registry.listen(hostBeat, (beat) => {
    beats.push(beat);
    for (const take of awaited.splice(0)) take(beat);
  });
  await registry.flush();
  const first = nextBeat();
  const running = await service.start({ config, bus: host, log });
  await first;
  const stop = async () => {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    ...{ folder, host, gateway, registry, running, ledger, beats },
    ...{ nextBeat, definitions, granted, run, stop },
  };
}
export type NativeWorld = Awaited<ReturnType<typeof nativeWorld>>;
