import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { answered, askFor, refusal } from '../client/answer.js';
import { connectTarget } from '../client/target.js';
import { json, table } from '../output.js';
import { CommandFailure, errorCode, exit, type ExitCode, type World } from '../world.js';

const Receipt = z.looseObject({
  seq: z.number(),
  at: z.string(),
  kind: z.string(),
  principal: z.string(),
  outcome: z.string().optional(),
  action: z.string().optional(),
  tool: z.object({ server: z.string(), raw_name: z.string() }).optional(),
  item: z.object({ server: z.string(), method: z.string() }).optional(),
});
const Page = z.object({ receipts: z.array(Receipt), next_cursor: z.string().optional() });

const base = '/api/uar/receipts';

export interface ListReceipts {
  readonly tool?: string;
  readonly outcome?: string;
  readonly since?: string;
  readonly json: boolean;
}

export async function listReceipts(world: World, options: ListReceipts): Promise<ExitCode> {
  const client = connectTarget(world);
  const receipts: z.output<typeof Receipt>[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams();
    if (options.tool !== undefined) query.set('tool', options.tool);
    if (options.outcome !== undefined) query.set('outcome', options.outcome);
    if (options.since !== undefined) query.set('since', options.since);
    if (cursor !== undefined) query.set('cursor', cursor);
    const page = await askFor(client, { method: 'GET', path: `${base}?${query}`, answer: Page });
    receipts.push(...page.receipts);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  const rows = receipts.map((receipt) => {
    const { seq, at, kind, principal, outcome = '' } = receipt;
    return [String(seq), at, kind, whatOf(receipt), outcome, principal];
  });
  const headings = ['SEQ', 'AT', 'KIND', 'WHAT', 'OUTCOME', 'PRINCIPAL'];
  world.out(options.json ? json({ receipts }) : table(headings, rows));
  return exit.ok;
}

function whatOf({ tool, item, action = '' }: z.output<typeof Receipt>): string {
  if (tool !== undefined) return `${tool.server}/${tool.raw_name}`;
  return item === undefined ? action : `${item.server}/${item.method}`;
}

/** The chain as NDJSON, to stdout or into a file that must not exist yet. */
export async function exportReceipts(world: World, options: { out?: string }): Promise<ExitCode> {
  if (options.out === undefined) {
    const decoder = new TextDecoder();
    return await exportTo(world, (chunk) => world.out(decoder.decode(chunk, { stream: true })));
  }
  const path = resolve(world.cwd, options.out);
  const file = createFile(path);
  try {
    return await exportTo(world, (chunk) => writeSync(file, chunk));
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

async function exportTo(world: World, write: (chunk: Buffer) => void): Promise<ExitCode> {
  const client = connectTarget(world);
  const reply = await client.stream({ method: 'GET', path: `${base}/export` }, write);
  const { status, text } = answered(client, reply);
  if (status !== 200) throw refusal(status, text);
  return exit.ok;
}

function createFile(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    const code = errorCode(error);
    const why =
      code === 'EEXIST'
        ? 'exists already; name a new file, an export is never written over another'
        : `cannot be written (${code})`;
    throw new CommandFailure(exit.usage, `${path} ${why}`);
  }
}
