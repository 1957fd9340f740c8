import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testConfig } from '@uar/testkit';
import { folderAlone } from '../../domain/sets/written.js';
import type { ToolSchemas } from '../../domain/policy/lint/tool-schema.js';
import { PolicySets } from '../../domain/sets/policy-sets.js';
import type { SetStatus } from '../../domain/sets/set-status.js';
import { CaseFile } from '../../domain/cases/case-file.js';
import { Fixtures } from '../../domain/cases/fixtures.js';
import { CedarEngine, compileCedar } from '../cedar/engine.js';
import { shippedFolder } from '../cedar/questions.fixture.js';
import { ConfigDirectory } from '../config-directory.js';
import { PolicyFiles } from './policy-folder.js';
import { PolicyWatch } from './policy-watch.js';

const oneTool = CaseFile.parse({
  set: 'tenant:default',
  principals: { ann: { tenant: 'default', subject: 'ann' } },
  tools: { echo: { tenant: 'default', server: 'everything', raw_name: 'echo' } },
  cases: [{ case: 'none', question: { ask: 'list', principal: 'ann' } }],
});

let engine: CedarEngine;
let folder: string;
let sets: PolicySets;
let swaps: { tenant: string; version: string }[];
let nextSwap: () => void;

beforeAll(async () => {
  engine = await CedarEngine.start(await compileCedar());
});
afterAll(() => engine.stop());

async function open(schemas?: ToolSchemas): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'policies-'));
  await cp(shippedFolder, folder, { recursive: true });
  swaps = [];
  nextSwap = () => undefined;
  sets = new PolicySets({
    folder: new PolicyFiles(folder),
    written: folderAlone,
    ...(schemas === undefined ? {} : { schemas }),
    stage: engine,
    directory: new ConfigDirectory(testConfig()),
    knownTenants: ['default', 'other'],
    onSwap: (tenant, version) => {
      swaps.push({ tenant, version });
      nextSwap();
    },
    onProblem: () => undefined,
  });
}

const close = () => rm(folder, { recursive: true });

const statusOf = (tenant: string): SetStatus | undefined =>
  sets.status().find((set) => set.tenant === tenant);
const own = (name: string) => join(folder, 'tenants/default', name);
const platform = (name: string) => join(folder, 'platform', name);

async function loaded(): Promise<string> {
  await sets.reload();
  const status = statusOf('default');
  expect(status).toMatchObject({ loaded: true, version: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
  expect(status?.problem).toBeUndefined();
  return status?.version ?? '';
}

describe('loading policies', () => {
  beforeEach(() => open());
  afterEach(close);

  it('loads the shipped folder: the starter set, and platform guards alone for everybody else', async () => {
    const version = await loaded();
    expect(sets.of('default')?.version).toBe(version);
    expect(sets.of('other')?.version).toBe(sets.of('nobody at all')?.version);
    expect(sets.of('other')?.permits).toEqual(new Set(['p/release']));
    expect(swaps).toContainEqual({ tenant: 'default', version });
    expect(swaps.map(({ tenant }) => tenant).toSorted()).toEqual(['default', 'other']);
  });

  it('swaps to a changed set and back to the very version of before', async () => {
    const first = await loaded();
    const text =
      'forbid (principal, action in UAR::Action::"invoke", resource in UAR::Server::"default/time");\n';
    await writeFile(own('no-time.cedar'), text);
    const second = await loaded();
    expect(second).not.toBe(first);
    expect(sets.of('default')?.forbids.has('t/no-time')).toBe(true);
    await rm(own('no-time.cedar'));
    expect(await loaded()).toBe(first);
  });

  it('gives a tenant whose folder is gone the platform guards alone', async () => {
    await loaded();
    await rm(join(folder, 'tenants/default'), { recursive: true });
    await sets.reload();
    expect(sets.of('default')?.permits).toEqual(new Set(['p/release']));
  });

  it('announces nothing when nothing changed', async () => {
    await loaded();
    swaps.length = 0;
    await sets.reload();
    await sets.reload({ again: true });
    expect(swaps).toEqual([]);
  });
});

const forbid = (condition: string) =>
  `forbid (principal, action == UAR::Action::"callTool", resource) when { ${condition} };`;

describe('a set with a fault', () => {
  beforeEach(() => open());
  afterEach(close);

  it('is refused when its file name is no id', async () => {
    const version = await loaded();
    await writeFile(own('No Id.cedar'), 'forbid (principal, action, resource);');
    await sets.reload();
    expect(statusOf('default')).toMatchObject({ version, problem: expect.stringContaining('no policy id') });
  });

  it('is refused when a guard of the platform is missing', async () => {
    const version = await loaded();
    await rm(platform('kill-switch.cedar'));
    await sets.reload();
    expect(statusOf('default')).toMatchObject({ version, problem: expect.stringContaining('p/kill-switch') });
    expect(sets.of('other')?.forbids.has('p/kill-switch')).toBe(true);
  });

  it('is refused when a guard of the platform is there in name only', async () => {
    const version = await loaded();
    await writeFile(platform('kill-switch.cedar'), forbid('resource.riskTier > 9'));
    await sets.reload();
    expect(statusOf('default')).toMatchObject({ version, problem: expect.stringContaining('kill switch') });
    expect(statusOf('other')).toMatchObject({
      loaded: true,
      problem: expect.stringContaining('kill switch'),
    });
  });

  it('is refused when a case of the tenant does not hold', async () => {
    const version = await loaded();
    const cases = `
set: tenant:default
principals: { u: { tenant: default, subject: u, roles: [user] } }
tools: { t: { tenant: default, server: s, raw_name: t } }
cases:
  - { case: users never call, question: { ask: call, principal: u, tool: t }, decision: deny }
`;
    await writeFile(join(folder, 'cases/own.yaml'), cases);
    await sets.reload();
    expect(statusOf('default')).toMatchObject({
      version,
      problem: expect.stringContaining('users never call'),
    });
  });

  it('is refused where something is no regular file, and a link to nowhere hides nothing', async () => {
    const version = await loaded();
    await symlink('/dev/zero', own('zero.cedar'));
    await sets.reload();
    expect(statusOf('default')).toMatchObject({
      version,
      problem: expect.stringContaining('no regular file'),
    });
    await rm(own('zero.cedar'));
    await symlink('/nonexistent', own('notes'));
    const files = new PolicyFiles(folder);
    const before = await files.fingerprint();
    await writeFile(own('later.cedar'), 'forbid (principal, action == UAR::Action::"callTool", resource);');
    expect(await files.fingerprint()).not.toBe(before);
  });

  it('keeps nobody else from theirs', async () => {
    await cp(join(folder, 'tenants/default'), join(folder, 'tenants/second'), { recursive: true });
    await loaded();
    await writeFile(own('new.cedar'), 'nonsense');
    await writeFile(join(folder, 'tenants/second/more.cedar'), 'forbid (principal, action, resource);');
    await sets.reload();
    expect(statusOf('default')?.problem).toContain('t/new');
    expect(sets.of('second')?.forbids.has('t/more')).toBe(true);
  });

  it('denies everything where there is no old set', async () => {
    await writeFile(own('new.cedar'), 'nonsense');
    await sets.reload();
    expect(sets.of('default')).toBeUndefined();
    expect(statusOf('default')).toMatchObject({ loaded: false, version: 'none' });
  });
});

describe('a pointer that the live catalog does not know', () => {
  const facts = new Fixtures(oneTool, { ask: 'list', principal: 'ann' }).tool('echo');
  const inputSchema = {
    type: 'object',
    properties: { message: { type: 'string' } },
    additionalProperties: false,
  };
  beforeEach(() => open({ of: () => [{ facts, inputSchema }] }));
  afterEach(close);

  const reading = (pointer: string) =>
    `forbid (principal, action == UAR::Action::"callTool", resource == UAR::Tool::"default/everything/echo")
unless { context.args.s.hasTag("${pointer}") };`;

  it('keeps a new set out while an old one decides', async () => {
    const version = await loaded();
    await writeFile(own('message.cedar'), reading('/mesage'));
    await sets.reload();
    expect(statusOf('default')).toMatchObject({ version, problem: expect.stringContaining('/message') });
  });

  it('leaves no tenant without a set when everything starts again', async () => {
    await writeFile(own('message.cedar'), reading('/mesage'));
    await sets.reload();
    expect(statusOf('default')?.loaded).toBe(true);
  });
});

describe('a folder that cannot be read', () => {
  beforeEach(() => open());
  afterEach(close);

  it('loads nothing, says so, and loads once it can be read', async () => {
    const nowhere = new PolicySets({
      folder: new PolicyFiles(join(folder, 'nowhere')),
      written: folderAlone,
      stage: engine,
      directory: new ConfigDirectory(testConfig()),
      knownTenants: ['default'],
      onSwap: () => undefined,
      onProblem: () => undefined,
    });
    await nowhere.reload();
    expect(nowhere.of('default')).toBeUndefined();
    expect(nowhere.status()).toEqual([
      {
        tenant: 'default',
        version: 'none',
        loaded: false,
        policies: 0,
        problem: expect.stringContaining('ENOENT'),
      },
    ]);
    await cp(shippedFolder, join(folder, 'nowhere'), { recursive: true });
    await nowhere.reload();
    expect(nowhere.of('default')).toBeDefined();
  });

  it('keeps what is loaded', async () => {
    const version = await loaded();
    await rm(join(folder, 'platform'), { recursive: true });
    await sets.reload();
    expect(statusOf('default')).toMatchObject({
      loaded: true,
      version,
      problem: expect.stringContaining('ENOENT'),
    });
  });

  it('is refused with a case file of another shape', async () => {
    const version = await loaded();
    await writeFile(join(folder, 'cases/own.yaml'), 'set: tenant:default\ncases: [{ case: x }]\n');
    await sets.reload();
    expect(statusOf('default')).toMatchObject({ version, problem: expect.stringContaining('own.yaml') });
  });
});

describe('the watch', () => {
  beforeEach(() => open());
  afterEach(close);

  it('brings a change of files into force by itself', async () => {
    const files = new PolicyFiles(folder);
    const watch = new PolicyWatch({
      folder,
      fingerprint: () => files.fingerprint(),
      reload: (options) => sets.reload(options),
      onProblem: (problem) => expect.unreachable(problem),
    });
    await watch.start();
    const version = statusOf('default')?.version;
    const swapped = new Promise<void>((resolve) => {
      nextSwap = resolve;
    });
    await writeFile(
      own('no-time.cedar'),
      'forbid (principal, action, resource in UAR::Server::"default/time");',
    );
    await swapped;
    expect(sets.of('default')?.version).not.toBe(version);
    expect(sets.of('default')?.forbids.has('t/no-time')).toBe(true);
    await watch.stop();
  });
});
