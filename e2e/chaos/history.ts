import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Receipt } from '@uar/contracts';

/** What one actor did or saw, one line of JSON each, appended before it goes on. `at` is epoch milliseconds. */
export type Note =
  /** A caller sent a call. `id` is unique to it, and stands in its arguments. */
  | {
      readonly kind: 'asked';
      readonly at: number;
      readonly id: string;
      readonly tool: string;
      readonly arguments_digest: string;
      readonly door: Door;
    }
  /** It was told how the call ended. */
  | {
      readonly kind: 'answered';
      readonly at: number;
      readonly id: string;
      readonly door: Door;
      readonly call_id: string;
      readonly outcome: string;
      readonly effect: string;
      readonly receipt: { readonly seq: number; readonly hash: string } | null;
    }
  /** It was never told: the connection broke, or the caller gave up. */
  | { readonly kind: 'lost'; readonly at: number; readonly id: string; readonly door: Door }
  /** It was refused before it was a call: 401, 409 of a key in use, 503 of a ledger that is away. */
  | {
      readonly kind: 'not_accepted';
      readonly at: number;
      readonly id: string;
      readonly door: Door;
      readonly status: number;
    }
  | {
      readonly kind: 'voted';
      readonly at: number;
      readonly approval_id: string;
      readonly decision: string;
      readonly status: number;
    }
  | { readonly kind: 'fault'; readonly at: number; readonly what: string; readonly service: string }
  /** The upstream ran a tool, written before it answered. */
  | {
      readonly kind: 'executed';
      readonly at: number;
      readonly id: string;
      readonly tool: string;
      readonly arguments_digest: string;
    };

/** Which gateway. */
export type Door = 'A' | 'B';

export interface ApprovalEnd {
  readonly approval_id: string;
  readonly call_id: string;
  readonly status: string;
  readonly arguments_digest: string;
  readonly definition_digest: string;
  readonly rule: { readonly quorum: number };
  readonly votes: readonly { readonly by: string; readonly decision: string }[];
}

/** An event `call.ended`. */
export interface EventEnd {
  readonly call_id: string;
  readonly outcome: string;
}

/** What the plane itself says when all is over. */
export interface Recorded {
  readonly receipts: readonly Receipt[];
  readonly approvals: readonly ApprovalEnd[];
  /** What is left in the windows of all runs. */
  readonly ends: readonly EventEnd[];
  /** Problems of the chain, by HTTP and by the offline verifier; empty when both hold. */
  readonly chain: readonly string[];
}

/** One actor's own file. Nobody else writes it, and nothing in it is ever changed. */
export class Journal {
  private readonly file: string;

  constructor(folder: string, actor: string) {
    mkdirSync(folder, { recursive: true });
    this.file = join(folder, `${actor}.ndjson`);
  }

  note(note: Note): void {
    appendFileSync(this.file, `${JSON.stringify(note)}\n`);
  }
}

export function readJournal(file: string): Note[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Note);
}

export function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
