import { spawn, type ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryDir } from '@uar/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { draft } from '../../contract-spec/samples.fixture.js';
import { HttpReceiver } from './http-receiver.js';

const secret = 'k'.repeat(32);
const folder = mkdtempSync(join(tmpdir(), 'uar-documented-'));
let receiver: ChildProcess;
let url: string;
let output = '';

/** The example of docs/webhooks.md, as it stands there. */
function example(): string {
  const text = readFileSync(join(repositoryDir, 'docs/webhooks.md'), 'utf8');
  const [, code] = /```js\n([^]*?)```/.exec(text) ?? [];
  if (code === undefined) throw new Error('docs/webhooks.md has no example');
  return code;
}

beforeAll(async () => {
  const file = join(folder, 'receiver.mjs');
  writeFileSync(file, example());
  receiver = spawn(process.execPath, [file], { env: { UAR_WEBHOOK_SECRET: secret, PORT: '0' } });
  const port = await new Promise<string>((resolve, reject) => {
    receiver.once('exit', (code) => reject(new Error(`it ended with ${code}: ${output}`)));
    receiver.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    receiver.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const [, found] = /port (\d+)/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  url = `http://127.0.0.1:${port}/`;
});
afterAll(() => {
  receiver.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const message = {
  deliveryId: `whk_${'b'.repeat(32)}`,
  event: 'approval.required',
  approvalStatus: 'pending',
  createdAt: 1_000,
  approval: { draft: draft(), status: 'pending', createdAt: 1_000, votes: [] },
} as const;

function send(options: { secret?: string; skewMs?: number } = {}) {
  const now = () => Date.now() + (options.skewMs ?? 0);
  const receiverOf = {
    url,
    secret: options.secret ?? secret,
    format: 'uar',
    now,
    deadlineMs: 5_000,
  } as const;
  return new HttpReceiver(receiverOf).send(message, new AbortController().signal);
}

describe('the receiver of docs/webhooks.md', () => {
  it('takes what we sign, and says it once', async () => {
    expect(await send()).toEqual({ kind: 'answered', status: 204 });
    expect(await send({ skewMs: -4 * 60_000 })).toEqual({ kind: 'answered', status: 204 });
    expect(output.match(/approval\.required files__write pending/g)).toHaveLength(1);
  });

  it('refuses another key, and times more than five minutes away', async () => {
    expect(await send({ secret: 'x'.repeat(32) })).toMatchObject({ status: 401 });
    expect(await send({ skewMs: -6 * 60_000 })).toMatchObject({ status: 401 });
    expect(await send({ skewMs: 6 * 60_000 })).toMatchObject({ status: 401 });
  });

  it('refuses a body that was changed, a signature that is none, and a time without end', async () => {
    const now = String(Math.floor(Date.now() / 1_000));
    const signed = (text: string, timestamp = now) =>
      `v1=${createHmac('sha256', secret).update(`${timestamp}.${text}`).digest('hex')}`;
    const post = async (body: string, signature: string, timestamp = now) => {
      const headers = { 'uar-webhook-timestamp': timestamp, 'uar-webhook-signature': signature };
      return (await fetch(url, { method: 'POST', body, headers })).status;
    };
    expect(await post('{"a":2}', signed('{"a":1}'))).toBe(401);
    expect(await post('{}', 'v1=')).toBe(401);
    expect(await post('{}', signed('{}', 'Infinity'), 'Infinity')).toBe(401);
  });
});
