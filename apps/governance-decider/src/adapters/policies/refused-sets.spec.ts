import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CedarEngine, compileCedar } from '../cedar/engine.js';
import { LoadedFolder } from './loaded-folder.fixture.js';

let engine: CedarEngine;
let home: LoadedFolder;

beforeAll(async () => {
  engine = await CedarEngine.start(await compileCedar());
});
afterAll(() => engine.stop());

const open = async (): Promise<void> => {
  home = await LoadedFolder.open(engine);
};
const close = () => home.close();

const forbid = (condition: string) =>
  `forbid (principal, action == UAR::Action::"callTool", resource) when { ${condition} };`;

describe('a set with a fault', () => {
  beforeEach(() => open());
  afterEach(close);

  it('is refused when its file name is no id', async () => {
    const version = await home.load();
    await writeFile(home.own('No Id.cedar'), 'forbid (principal, action, resource);');
    await home.sets.reload();
    expect(home.statusOf('default')).toMatchObject({
      version,
      problem: expect.stringContaining('no policy id'),
    });
  });

  it('is refused when a guard of the platform is missing', async () => {
    const version = await home.load();
    await rm(home.platform('kill-switch.cedar'));
    await home.sets.reload();
    expect(home.statusOf('default')).toMatchObject({
      version,
      problem: expect.stringContaining('p/kill-switch'),
    });
    expect(home.sets.of('other')?.forbids.has('p/kill-switch')).toBe(true);
  });

  it('is refused when a guard of the platform is there in name only', async () => {
    const version = await home.load();
    await writeFile(home.platform('kill-switch.cedar'), forbid('resource.riskTier > 9'));
    await home.sets.reload();
    expect(home.statusOf('default')).toMatchObject({
      version,
      problem: expect.stringContaining('kill switch'),
    });
    expect(home.statusOf('other')).toMatchObject({
      loaded: true,
      problem: expect.stringContaining('kill switch'),
    });
  });

  it('is refused when a case of the tenant does not hold', async () => {
    const version = await home.load();
    const cases = `
set: tenant:default
principals: { u: { tenant: default, subject: u, roles: [user] } }
tools: { t: { tenant: default, server: s, raw_name: t } }
cases:
  - { case: users never call, question: { ask: call, principal: u, tool: t }, decision: deny }
`;
    await writeFile(join(home.folder, 'cases/own.yaml'), cases);
    await home.sets.reload();
    expect(home.statusOf('default')).toMatchObject({
      version,
      problem: expect.stringContaining('users never call'),
    });
  });

  it('is refused where something is no regular file, and a link to nowhere hides nothing', async () => {
    const version = await home.load();
    await symlink('/dev/zero', home.own('zero.cedar'));
    await home.sets.reload();
    expect(home.statusOf('default')).toMatchObject({
      version,
      problem: expect.stringContaining('no regular file'),
    });
    await rm(home.own('zero.cedar'));
    await symlink('/nonexistent', home.own('notes'));
    const before = await home.files.fingerprint();
    await writeFile(
      home.own('later.cedar'),
      'forbid (principal, action == UAR::Action::"callTool", resource);',
    );
    expect(await home.files.fingerprint()).not.toBe(before);
  });

  it('keeps nobody else from theirs', async () => {
    await home.add('second');
    await home.load();
    await writeFile(home.own('new.cedar'), 'nonsense');
    await writeFile(join(home.folder, 'tenants/second/more.cedar'), 'forbid (principal, action, resource);');
    await home.sets.reload();
    expect(home.statusOf('default')?.problem).toContain('t/new');
    expect(home.sets.of('second')?.forbids.has('t/more')).toBe(true);
  });

  it('denies everything where there is no old set', async () => {
    await writeFile(home.own('new.cedar'), 'nonsense');
    await home.sets.reload();
    expect(home.sets.of('default')).toBeUndefined();
    expect(home.statusOf('default')).toMatchObject({ loaded: false, version: 'none' });
  });
});
