import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CedarEngine, compileCedar } from '../cedar/engine.js';
import { PolicyFiles } from './policy-folder.js';
import { LoadedFolder } from './loaded-folder.fixture.js';

let engine: CedarEngine;
let home: LoadedFolder;
beforeAll(async () => {
  engine = await CedarEngine.start(await compileCedar());
  home = await LoadedFolder.open(engine);
  await home.load();
}, 120_000);
afterAll(async () => {
  await home.close();
  await engine.stop();
});
beforeEach(async () => {
  await home.restore();
  await home.add('second');
});

const forbid = (server: string) =>
  `forbid (principal, action in UAR::Action::"invoke", resource in UAR::Server::"second/${server}");\n`;

type Spoil = (at: (name: string) => string) => Promise<void>;

/** What may stand in the folder of one tenant, and what is said of it. */
const spoils: readonly (readonly [string, string, Spoil])[] = [
  [
    'a text that is too large',
    'huge.cedar is larger',
    (at) => writeFile(at('huge.cedar'), 'x'.repeat(2 ** 21)),
  ],
  [
    'a link to nowhere',
    't/gone: gone.cedar cannot be read (ENOENT)',
    (at) => symlink('/nonexistent', at('gone.cedar')),
  ],
  ['a device', 'no regular file', (at) => symlink('/dev/zero', at('zero.cedar'))],
  [
    'bytes that are no text',
    'no UTF-8',
    (at) => writeFile(at('bytes.cedar'), Uint8Array.from([0x2f, 0x2f, 0xff, 0xfe])),
  ],
  [
    'a policy with another ending, which would be silently missing',
    'rename it to no-time.cedar',
    (at) => writeFile(at('no-time.CEDAR'), forbid('time')),
  ],
  [
    'a folder that is named like a policy',
    'dir.cedar is a folder',
    async (at) => {
      await mkdir(at('dir.cedar'));
    },
  ],
];

describe('what is wrong with the files of one tenant is a matter of that tenant alone:', () => {
  it.each(spoils)('%s', async (_what, says, spoil) => {
    const version = await home.load();
    await spoil((name) => home.own(name));
    await writeFile(join(home.folder, 'tenants/second/more.cedar'), forbid('time'));
    await home.sets.reload();
    expect(home.statusOf('default')).toMatchObject({
      ...{ loaded: true, version },
      problem: expect.stringContaining(says),
    });
    expect(home.statusOf('second')).toMatchObject({ loaded: true });
    expect(home.statusOf('second')?.problem).toBeUndefined();
    expect(home.sets.of('second')?.forbids.has('t/more')).toBe(true);
  });

  it('a tenant that has no set yet has none, and the others have theirs', async () => {
    await home.add('third');
    const huge = join(home.folder, 'tenants/third/huge.cedar');
    await writeFile(huge, 'x'.repeat(2 ** 21));
    await home.sets.reload();
    expect(home.sets.of('third')).toBeUndefined();
    expect(home.statusOf('third')).toMatchObject({ loaded: false, version: 'none' });
    expect(home.sets.of('second')?.permits.size).toBeGreaterThan(1);
    await rm(huge);
    expect(await home.load('third')).toMatch(/^sha256:/);
  });

  it('cases that cannot be read keep the set of their tenant, and that of nobody else', async () => {
    const version = await home.load();
    await writeFile(join(home.folder, 'cases/own.yaml'), 'set: tenant:default\ncases: [{ case: x }]\n');
    await writeFile(join(home.folder, 'tenants/second/more.cedar'), forbid('time'));
    await home.sets.reload();
    expect(home.statusOf('default')).toMatchObject({
      version,
      problem: expect.stringContaining('own.yaml:2'),
    });
    expect(home.sets.of('second')?.forbids.has('t/more')).toBe(true);
  });

  it('what the folder says is not taken back to while it cannot be read', async () => {
    await home.load();
    await writeFile(home.own('huge.cedar'), 'x'.repeat(2 ** 21));
    await home.sets.reload();
    expect(await home.sets.check('default', undefined)).toMatchObject({
      kind: 'done',
      value: { kind: 'refused', problems: [{ policy: 't/huge' }] },
    });
  });
});

describe('what stands in the folder and is nobody’s', () => {
  const read = async () => {
    const found = await new PolicyFiles(home.folder).read();
    if (found.kind === 'unreadable') throw new Error(found.problem);
    return found.source;
  };

  it('a tenant that is a link has no set, and hears what to do', async () => {
    await rename(join(home.folder, 'tenants/second'), join(home.folder, 'elsewhere'));
    await symlink(join(home.folder, 'elsewhere'), join(home.folder, 'tenants/linked'));
    await home.load();
    expect(home.statusOf('linked')).toMatchObject({
      loaded: false,
      problem: expect.stringContaining('is a link'),
    });
  });

  it('is told with the way out, and disturbs nobody', async () => {
    await mkdir(join(home.folder, 'tenants/No Tenant'));
    await writeFile(join(home.folder, 'tenants/lost.cedar'), forbid('time'));
    await mkdir(home.own('more'));
    await mkdir(join(home.folder, 'tenant'));
    await mkdir(home.platform('more'));
    await writeFile(join(home.folder, 'nobodys.cedar'), forbid('time'));
    await writeFile(join(home.folder, 'cases/mine.yml'), 'set: platform\n');
    await home.load();
    expect((await read()).strays).toEqual([
      expect.stringContaining('nobodys.cedar belongs to no tenant'),
      'tenant is not read: did you mean tenants?',
      expect.stringContaining('platform/more is a folder'),
      'cases/mine.yml is not read: rename it to cases/mine.yaml',
      expect.stringContaining('tenants/No Tenant is no name of a tenant'),
      expect.stringContaining('tenants/default/more is a folder'),
      expect.stringContaining('tenants/lost.cedar belongs to no tenant'),
    ]);
    expect(home.problems).toContainEqual({ tenant: '*', problem: expect.stringContaining('lost.cedar') });
    home.problems.length = 0;
    await home.sets.reload();
    expect(home.problems).toEqual([]);
  });

  it('a policy of the platform that is not read keeps every new set out', async () => {
    const version = await home.load();
    await rename(home.platform('kill-switch.cedar'), home.platform('kill-switch.CEDAR'));
    await home.sets.reload();
    expect(home.statusOf('default')).toMatchObject({
      version,
      problem: expect.stringContaining('rename it to kill-switch.cedar'),
    });
  });
});

describe('a folder that does not answer', () => {
  it('is told as such in time, and read when it answers', async () => {
    const impatient = new PolicyFiles(home.folder, 0);
    expect(await impatient.read()).toMatchObject({
      kind: 'unreadable',
      problem: expect.stringContaining('did not answer within 0 ms'),
    });
    expect(await impatient.fingerprint()).toContain('did not answer');
  });
});
