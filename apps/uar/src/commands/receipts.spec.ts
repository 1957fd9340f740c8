import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startStandIn, uarIn, type CommandEnd, type StandIn } from '../command-line.fixture.js';

let folder: string;
let gateway: StandIn;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'uar-receipts-'));
  gateway = await startStandIn();
});
afterEach(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

const receipts = (...argv: string[]): Promise<CommandEnd> =>
  uarIn(folder, ['receipts', ...argv], { UAR_URL: gateway.url });

describe('uar receipts', () => {
  it('says what each of them is about: a tool, an item, or what was administered', async () => {
    const common = { at: '2026-01-01T00:00:00.000Z', principal: 'User::"default/ada"' };
    const item = { kind: 'resource', server: 'time', id_digest: 'sha256:0', method: 'resources/read' };
    gateway.answer = () => ({
      status: 200,
      body: JSON.stringify({
        receipts: [
          {
            seq: 1,
            ...common,
            kind: 'outcome',
            outcome: 'completed',
            tool: { server: 'fs', raw_name: 'ls' },
          },
          { seq: 2, ...common, kind: 'outcome', outcome: 'policy_denied', item },
          { seq: 3, ...common, kind: 'admin', action: 'server.put fs' },
        ],
      }),
    });
    const { out } = await receipts('list');
    const rows = out.split('\n').map((line) => line.split(/ {2,}/));
    expect(rows.slice(1, 4).map((row) => row[3])).toEqual(['fs/ls', 'time/resources/read', 'server.put fs']);
  });
});

describe('uar receipts export', () => {
  const file = () => join(folder, 'all.ndjson');

  it('writes a new file, and never over one that is there', async () => {
    gateway.answer = () => ({ status: 200, body: '{"seq":1}\n' });
    expect(await receipts('export', '--out', 'all.ndjson')).toEqual({ code: 0, out: '', err: '' });
    expect(readFileSync(file(), 'utf8')).toBe('{"seq":1}\n');
    gateway.answer = () => ({ status: 200, body: 'other' });
    expect(await receipts('export', '--out', 'all.ndjson')).toEqual({
      code: 2,
      out: '',
      err: `${file()} exists already; name a new file, an export is never written over another\n`,
    });
    expect(readFileSync(file(), 'utf8')).toBe('{"seq":1}\n');
  });

  it('says that there is no folder to write into', async () => {
    expect(await receipts('export', '--out', 'gone/all.ndjson')).toMatchObject({
      code: 2,
      err: `${join(folder, 'gone/all.ndjson')} cannot be written (ENOENT)\n`,
    });
  });

  it('leaves no file behind where the export was refused', async () => {
    expect(await receipts('export', '--out', 'all.ndjson')).toMatchObject({ code: 1 });
    expect(existsSync(file())).toBe(false);
  });
});

describe('uar receipts verify', () => {
  it('names a key or heads that cannot be read', async () => {
    writeFileSync(join(folder, 'all.ndjson'), '');
    writeFileSync(join(folder, 'heads.jsonl'), '');
    writeFileSync(join(folder, 'no-key.pub'), 'no key');
    const { publicKey } = generateKeyPairSync('ed25519');
    writeFileSync(join(folder, 'key.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
    const verify = (heads: string, key: string) =>
      receipts('verify', '--file', 'all.ndjson', '--heads', heads, '--public-key', key);
    expect(await verify('heads.jsonl', 'key.pub')).toMatchObject({ code: 0 });
    expect(await verify('gone.jsonl', 'key.pub')).toMatchObject({
      code: 2,
      err: `--heads: ${join(folder, 'gone.jsonl')} cannot be read (ENOENT)\n`,
    });
    expect(await verify('heads.jsonl', 'gone.pub')).toMatchObject({
      code: 2,
      err: `--public-key: ${join(folder, 'gone.pub')} cannot be read (ENOENT)\n`,
    });
    expect(await verify('heads.jsonl', 'no-key.pub')).toMatchObject({
      code: 2,
      err: `--public-key: ${join(folder, 'no-key.pub')} holds no public key in PEM\n`,
    });
  });

  it('does not leave out in silence what a running server is not asked', async () => {
    for (const flags of [
      ['--heads', 'heads.jsonl'],
      ['--public-key', 'key.pub'],
      ['--tenant', 'default'],
    ])
      expect(await receipts('verify', ...flags)).toMatchObject({
        code: 2,
        err: `${flags[0] ?? ''} is for --file or --offline; a running server checks against its own heads\n`,
      });
    expect(gateway.requests).toEqual([]);
  });

  it('says in its help where heads and key are', async () => {
    const { out } = await receipts('verify', '--help');
    expect(out.replace(/\s+/g, ' ')).toContain('<data dir>/heads.jsonl');
    expect(out.replace(/\s+/g, ' ')).toContain('<data dir>/keys/receipts.pub');
  });
});
