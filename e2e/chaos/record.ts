import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Receipt } from '@uar/contracts';
import { runCli } from '../cli.js';
import { type Client, eventually } from '../client.js';
import { EventListener } from '../event-listener.js';
import { pause } from './chance.js';
import type { ApprovalEnd, EventEnd, Recorded } from './history.js';

/** All that the plane has on record, once every call that has an intent has an outcome, or `limitMs` is over. */
export async function readRecord(options: {
  readonly url: string;
  readonly client: Client;
  readonly dataDir: string;
  readonly folder: string;
  readonly limitMs: number;
}): Promise<Recorded> {
  const { client, dataDir, folder } = options;
  const limit = Date.now() + options.limitMs;
  const receipts = await eventually(async () => {
    const found = await receiptsOf(client);
    return openIntents(found) === 0 || Date.now() > limit ? found : undefined;
  }, options.limitMs + 30_000);
  const approvals = await pages<ApprovalEnd>(client, '/api/uar/approvals?limit=500', 'approvals');
  const ends = await endsOf(options.url, client, receipts);
  return { receipts, approvals, ends, chain: await chainProblems({ client, dataDir, folder }) };
}

const quietMs = 1_000;

/** Of each run, until nothing more comes. */
async function endsOf(url: string, client: Client, receipts: readonly Receipt[]): Promise<EventEnd[]> {
  const runs = new Set(receipts.flatMap(({ run_id: runId }) => runId ?? []));
  const ends: EventEnd[] = [];
  for (const run of runs) {
    const { token } = client;
    const listener = await EventListener.open(`${url}/api/uar/runs/${run}/events`, { token });
    for (let heard = -1; heard < listener.events.length;) {
      heard = listener.events.length;
      await pause(quietMs);
    }
    listener.close();
    for (const { name, body } of listener.events)
      if (name === 'call.ended')
        ends.push({ call_id: String(body.call_id), outcome: String(body.data['outcome']) });
  }
  return ends;
}

function receiptsOf(client: Client): Promise<Receipt[]> {
  return pages<Receipt>(client, '/api/uar/receipts?limit=1000', 'receipts');
}

function openIntents(receipts: readonly Receipt[]): number {
  const ended = new Set(receipts.filter(({ kind }) => kind === 'outcome').map(({ call_id: id }) => id));
  return receipts.filter(({ kind, call_id: id }) => kind === 'intent' && !ended.has(id)).length;
}

async function pages<T>(client: Client, path: string, member: string): Promise<T[]> {
  const found: T[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const { status, body } = await client.get(cursor === '' ? path : `${path}&cursor=${cursor}`);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    found.push(...(body[member] as unknown as T[]));
    cursor = body['next_cursor'] as unknown as string | undefined;
  }
  return found;
}

/** By the plane itself, and by whoever has only an export and the public key. */
async function chainProblems(options: {
  readonly client: Client;
  readonly dataDir: string;
  readonly folder: string;
}): Promise<string[]> {
  const { client, dataDir, folder } = options;
  const verified = await client.get('/api/uar/receipts/verify');
  const exported = await client.get('/api/uar/receipts/export');
  const file = join(folder, 'receipts.ndjson');
  writeFileSync(file, exported.text);
  const offline = await runCli({ dataDir }, ['receipts', 'verify', '--file', file]);
  const isWhole = (verified.body['ok'] as unknown) === true;
  return [
    ...(isWhole ? [] : [`the plane says ${verified.text.slice(0, 300)}`]),
    ...(offline.code === 0
      ? []
      : [`the offline verifier says ${offline.stdout.slice(0, 300)}${offline.stderr}`]),
  ];
}
