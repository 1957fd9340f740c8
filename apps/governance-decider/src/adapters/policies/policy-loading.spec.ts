import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testConfig } from '@uar/testkit';
import { folderAlone } from '../../domain/sets/written.js';
import type { ToolSchemas } from '../../domain/policy/lint/tool-schema.js';
import { PolicySets } from '../../domain/sets/policy-sets.js';
import { CaseFile } from '../../domain/cases/case-file.js';
import { Fixtures } from '../../domain/cases/fixtures.js';
import { CedarEngine, compileCedar } from '../cedar/engine.js';
import { shippedFolder } from '../cedar/questions.fixture.js';
import { ConfigDirectory } from '../config-directory.js';
import { LoadedFolder } from './loaded-folder.fixture.js';
import { PolicyFiles } from './policy-folder.js';
import { PolicyWatch } from './policy-watch.js';

const oneTool = CaseFile.parse({
  set: 'tenant:default',
  principals: { ann: { tenant: 'default', subject: 'ann' } },
  tools: { echo: { tenant: 'default', server: 'everything', raw_name: 'echo' } },
  cases: [{ case: 'none', question: { ask: 'list', principal: 'ann' } }],
});

let engine: CedarEngine;
let home: LoadedFolder;

beforeAll(async () => {
  engine = await CedarEngine.start(await compileCedar());
});
afterAll(() => engine.stop());

const open = async (schemas?: ToolSchemas): Promise<void> => {
  home = await LoadedFolder.open(engine, schemas);
};
const close = () => home.close();

describe('loading policies', () => {
  beforeEach(() => open());
  afterEach(close);

  it('loads the shipped folder: the starter set, and platform guards alone for everybody else', async () => {
    const version = await home.load();
    expect(version).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(home.sets.of('default')?.version).toBe(version);
    expect(home.sets.of('other')?.version).toBe(home.sets.of('nobody at all')?.version);
    expect(home.sets.of('other')?.permits).toEqual(new Set(['p/release']));
    expect(home.swaps).toContainEqual({ tenant: 'default', version });
    expect(home.swaps.map(({ tenant }) => tenant).toSorted()).toEqual(['default', 'other']);
  });

  it('swaps to a changed set and back to the very version of before', async () => {
    const first = await home.load();
    const text =
      'forbid (principal, action in UAR::Action::"invoke", resource in UAR::Server::"default/time");\n';
    await writeFile(home.own('no-time.cedar'), text);
    const second = await home.load();
    expect(second).not.toBe(first);
    expect(home.sets.of('default')?.forbids.has('t/no-time')).toBe(true);
    await rm(home.own('no-time.cedar'));
    expect(await home.load()).toBe(first);
  });

  it('gives a tenant whose folder is gone the platform guards alone', async () => {
    await home.load();
    await rm(join(home.folder, 'tenants/default'), { recursive: true });
    await home.sets.reload();
    expect(home.sets.of('default')?.permits).toEqual(new Set(['p/release']));
  });

  it('announces nothing when nothing changed', async () => {
    await home.load();
    home.swaps.length = 0;
    await home.sets.reload();
    await home.sets.reload({ again: true });
    expect(home.swaps).toEqual([]);
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
    const version = await home.load();
    await writeFile(home.own('message.cedar'), reading('/mesage'));
    await home.sets.reload();
    expect(home.statusOf('default')).toMatchObject({ version, problem: expect.stringContaining('/message') });
  });

  it('leaves no tenant without a set when everything starts again', async () => {
    await writeFile(home.own('message.cedar'), reading('/mesage'));
    await home.sets.reload();
    expect(home.statusOf('default')?.loaded).toBe(true);
  });
});

describe('a folder that cannot be read', () => {
  beforeEach(() => open());
  afterEach(close);

  it('loads nothing, says so, and loads once it can be read', async () => {
    const nowhere = new PolicySets({
      folder: new PolicyFiles(join(home.folder, 'nowhere')),
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
    await cp(shippedFolder, join(home.folder, 'nowhere'), { recursive: true });
    await nowhere.reload();
    expect(nowhere.of('default')).toBeDefined();
  });

  it('keeps what is loaded', async () => {
    const version = await home.load();
    await rm(join(home.folder, 'platform'), { recursive: true });
    await home.sets.reload();
    expect(home.statusOf('default')).toMatchObject({
      loaded: true,
      version,
      problem: expect.stringContaining('ENOENT'),
    });
  });

  it('is refused with a case file of another shape', async () => {
    const version = await home.load();
    await writeFile(join(home.folder, 'cases/own.yaml'), 'set: tenant:default\ncases: [{ case: x }]\n');
    await home.sets.reload();
    expect(home.statusOf('default')).toMatchObject({ version, problem: expect.stringContaining('own.yaml') });
  });
});

describe('the watch', () => {
  beforeEach(() => open());
  afterEach(close);

  it('brings a change of files into force by itself', async () => {
    const watch = new PolicyWatch({
      folder: home.folder,
      fingerprint: () => home.files.fingerprint(),
      reload: (options) => home.sets.reload(options),
      onProblem: (problem) => expect.unreachable(problem),
    });
    await watch.start();
    const version = home.statusOf('default')?.version;
    const swapped = home.nextSwap();
    await writeFile(
      home.own('no-time.cedar'),
      'forbid (principal, action, resource in UAR::Server::"default/time");',
    );
    await swapped;
    expect(home.sets.of('default')?.version).not.toBe(version);
    expect(home.sets.of('default')?.forbids.has('t/no-time')).toBe(true);
    await watch.stop();
  });
});
