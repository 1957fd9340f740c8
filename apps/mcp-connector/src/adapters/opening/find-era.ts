import type { Upstream } from '../../domain/upstream.js';
import { Broken, Forbidden } from '../not-sent.js';
import { withOwnSignal } from '../own-signal.js';
import { discover, type Discovered } from '../stateless/discover.js';
import type { Sender } from '../stateless/revision.js';
import type { Prepared } from './prepared.js';

/** Either of the two that may stand there. */
interface Eras {
  readonly sender: Sender;
  /** Initializes. Rejects where that fails, and has closed what it opened. */
  session(prepared: Prepared, how: { readonly isBeside: boolean }, signal: AbortSignal): Promise<Upstream>;
  stateless(prepared: Prepared, found: Extract<Discovered, { kind: 'stateless' }>): Promise<Upstream>;
}

/** `silent`: nothing came, and it did not end either. `over`: it ended. */
type Heard = Discovered | { readonly kind: 'silent' } | { readonly kind: 'over' };

/**
 * How long a server may think about a question that it need not know. Over HTTP each request has an answer: silence there says
 * that the server is busy, before it says anything of its era.
 */
const patienceMs = { child: 1_000, http: 3_000 } as const;

/** What stands there speaks no revision of ours. */
class Unusable extends Error {}

/**
 * Finds out which era the server is of (MCP 2026-07-28, "Versioning and Compatibility") and opens it: `server/discover` first, and
 * `initialize` where that does not say that it is of the one without sessions. A server that says nothing at all is greeted beside
 * the question, and what it answers to the greeting counts. Rejects with whatever is wrong.
 */
export async function openInItsEra(prepared: Prepared, eras: Eras, signal: AbortSignal): Promise<Upstream> {
  const way = { prepared, eras, signal };
  return await withOwnSignal(signal, async (own) => {
    const asked = ask(prepared, eras.sender, own.signal);
    // It is thrown where it is awaited, if it is.
    asked.catch(() => undefined);
    const limitMs = prepared.isHttp ? patienceMs.http : patienceMs.child;
    const heard = await soon(asked, limitMs);
    if (heard.kind !== 'silent') return await follow(heard, way);
    try {
      const session = await eras.session(prepared, { isBeside: true }, signal);
      own.abort();
      return session;
    } catch (error) {
      const late = await soon(asked, limitMs);
      if (late.kind === 'silent' || late.kind === 'other' || late.kind === 'over') throw error;
      return await follow(late, way);
    }
  });
}

interface Way {
  readonly prepared: Prepared;
  readonly eras: Eras;
  readonly signal: AbortSignal;
}

async function follow(
  heard: Exclude<Heard, { kind: 'silent' }>,
  { prepared, eras, signal }: Way,
): Promise<Upstream> {
  switch (heard.kind) {
    case 'stateless':
      return await eras.stateless(prepared, heard);
    case 'unusable':
      throw new Unusable(heard.message);
    case 'other':
      return await eras.session(prepared, { isBeside: false }, signal);
    case 'over': {
      const again = (await prepared.again?.()) ?? prepared;
      if (again.kind === 'problem') throw new Unusable(again.message);
      return await eras.session(again, { isBeside: false }, signal);
    }
  }
}

/** Rejects with what no greeting can mend: nobody there, or no credentials. */
async function ask(prepared: Prepared, sender: Sender, signal: AbortSignal): Promise<Heard> {
  try {
    return await discover(prepared.wire, sender, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof Broken) return { kind: 'over' };
    if (error instanceof Forbidden) return { kind: 'other', isSure: false };
    throw error;
  }
}

async function soon(asked: Promise<Heard>, limitMs: number): Promise<Heard> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<Heard>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'silent' }), limitMs);
  });
  return await Promise.race([asked, silence]).finally(() => clearTimeout(timer));
}
