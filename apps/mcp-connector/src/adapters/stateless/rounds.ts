import { setTimeout as wait } from 'node:timers/promises';
import type { CallId } from '@uar/contracts';
import { compact, scanJson } from '@uar/json-text';
import type { ClientAnswer, ClientSide } from '../../domain/client-side.js';
import { neededCapability } from '../asked/client-requests.js';
import type { TimeLimit } from '../asked/time-limit.js';
import { withOwnSignal } from '../own-signal.js';
import { readResult, type InputRequest, type InputRequired } from './input-required.js';
import { invalid, type Reply } from './wire.js';

/** Client capabilities that an upstream missed, beside its error. */
type Lacking = Extract<Reply, { kind: 'upstream_error' }> & { readonly lacking: readonly string[] };

export type RoundsEnd = Reply | Lacking;

export interface RoundsOptions {
  readonly client: ClientSide;
  readonly callId: CallId | undefined;
  /** May the upstream answer this request with a request for input? */
  readonly mayAsk: boolean;
  /** Stands still while the client is asked. */
  readonly limit: TimeLimit;
  readonly signal: AbortSignal;
  /** Members of `params` besides those of the request, as JSON texts. */
  readonly send: (brought: Readonly<Record<string, string>>) => Promise<Reply>;
}

const mostRounds = 32;
const mostParams = 8 * 1024 * 1024;
/** Before a round for which nobody was asked; doubles with each. */
const pauseMs = 100;
const longestPauseMs = 5_000;

/**
 * A request in as many rounds as its upstream wants (MCP 2026-07-28, "Multi round-trip requests"). Another round is sent only where
 * the one before was answered with a request for it: all of them are one call, and none follows an outcome that is not known.
 */
export async function inRounds(options: RoundsOptions): Promise<RoundsEnd> {
  let brought: Readonly<Record<string, string>> = {};
  let idle = 0;
  for (let round = 1; round <= mostRounds; round += 1) {
    const reply = await options.send(brought);
    if (reply.kind !== 'result') return reply;
    const read = readResult(reply.text);
    if (read.kind === 'complete') return reply;
    if (read.kind === 'bad') return invalid(read.message);
    if (!options.mayAsk) return invalid('the upstream asked for input where it may not');
    const { requests, stateText } = read.required;
    if (requests.length === 0) await pause(Math.min(longestPauseMs, pauseMs * 2 ** idle++), options.signal);
    const answers = await answersOf(read.required, options);
    if (typeof answers !== 'string') return answers;
    brought = {
      ...(requests.length > 0 && { inputResponses: answers }),
      ...(stateText !== undefined && { requestState: stateText }),
    };
  }
  return invalid('the upstream asked for input too often');
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

/** `inputResponses` as JSON text, or why there is none. */
async function answersOf(
  { requests }: InputRequired,
  { client, callId, limit, signal }: RoundsOptions,
): Promise<string | RoundsEnd> {
  const needed = requests.map(({ method }) => neededCapability(method));
  const lacking = [...new Set(needed)].filter((capability) => client.capabilities[capability] === undefined);
  if (lacking.length > 0)
    return { ...invalid('the upstream asked for input that its client did not offer'), lacking };
  const { answer } = client;
  if (answer === undefined && requests.length > 0)
    return invalid('the upstream asked for input, and there is no client to ask');
  const bytes = requests.reduce((sum, { paramsJson }) => sum + Buffer.byteLength(paramsJson), 0);
  if (bytes > mostParams) return invalid('the upstream asked for too much input at once');
  const goOn = limit.pause();
  try {
    return await withOwnSignal(signal, async (own) => {
      const ask = async ({ key, method, paramsJson }: InputRequest): Promise<string> => {
        const call = callId === undefined ? {} : { callId };
        const question = { method, paramsJson, ...call };
        const text = resultOf(method, await answer?.(question, own.signal));
        return `${JSON.stringify(key)}:${text}`;
      };
      try {
        return `{${(await Promise.all(requests.map(ask))).join(',')}}`;
      } catch (error) {
        // The others need not be asked any more.
        own.abort();
        if (error instanceof NoInput) return invalid(error.message);
        throw error;
      }
    });
  } finally {
    goOn();
  }
}

/** A client that gave no result: nothing can be said in its place. */
class NoInput extends Error {}

function resultOf(method: string, said: ClientAnswer | undefined): string {
  const words = `the upstream asked for input (${method}), and`;
  switch (said?.kind) {
    case 'answered': {
      const scan = scanJson(said.result_json, { duplicates: 'last_wins' });
      if (scan.kind === 'bad' || scan.rootKind !== 'object')
        throw new NoInput(`${words} the client answered what is no result`);
      return compact(said.result_json);
    }
    case 'failed':
      throw new NoInput(`${words} the client answered an error: ${said.message} (${said.code})`);
    case 'gone':
    case undefined:
      throw new NoInput(`${words} the client is not there`);
  }
}
