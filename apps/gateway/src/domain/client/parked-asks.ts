import { randomUUID } from 'node:crypto';
import type { AnswerOf, attendCall } from '@uar/contracts';
import { memberString } from '@uar/json-text';
import type { Clock } from '../call/ports.js';
import { answeredWith, gone, mostOpenAsks, tooManyAsks } from './client-answer.js';
import type { ClientAnswer, ClientAsk } from './connected-clients.js';

/** What an upstream asks of a client that holds no stream. */
export interface ParkedAsk {
  /** Under which the client answers it. */
  readonly key: string;
  readonly method: ClientAsk['method'];
  readonly paramsJson: string;
}

type WrittenAsk = Extract<AnswerOf<typeof attendCall>, { kind: 'found' }>['inputs'][number];

/** As gateways send them to one another. */
export function writtenAsks(asks: readonly ParkedAsk[]): WrittenAsk[] {
  return asks.map(({ key, method, paramsJson }) => ({ key, method, params_json: paramsJson }));
}

export function readAsks(inputs: readonly WrittenAsk[]): ParkedAsk[] {
  return inputs.map(({ key, method, params_json: paramsJson }) => ({ key, method, paramsJson }));
}

/** What a client brings along. */
export interface BroughtAnswers {
  /** How many asks it had been shown: what was asked since is none of what it answers. */
  readonly shown: number;
  /** Results as JSON text, by key. */
  readonly byKey: ReadonlyMap<string, string>;
}

interface OpenAsk extends ParkedAsk {
  readonly number: number;
  readonly ask: ClientAsk;
  end(answer: ClientAnswer): void;
}

/** An upstream asks what it has to ask at once, in as many messages. */
const gatherMs = 30;
/** How an upstream may name what it asks, so that whoever knows the name can answer before it is asked. */
const nameKey = 'io.uar/key';
const Name = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
/** Names that one call may use as keys; further asks have keys of ours. */
const mostNames = 1_000;

/** What upstreams ask during one call: kept until its client comes with the answers, or nobody waits for them any more. */
export class ParkedAsks {
  private readonly open = new Map<string, OpenAsk>();
  private readonly watchers = new Set<() => void>();
  private readonly given: Map<string, string>;
  /** Each is a key once: an answer that is delivered twice is none to a later ask. */
  private readonly names = new Set<string>();
  private endGathering = (): void => undefined;
  private asked = 0;
  private isOver = false;

  /** `given`: results by name, of a client that knew what would be asked; each is used once. */
  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    given: ReadonlyMap<string, string> = new Map(),
  ) {
    this.given = new Map(given);
  }

  get size(): number {
    return this.open.size;
  }

  /** How many have been asked so far. */
  get count(): number {
    return this.asked;
  }

  list(): readonly ParkedAsk[] {
    return [...this.open.values()].map(({ key, method, paramsJson }) => ({ key, method, paramsJson }));
  }

  ask(ask: ClientAsk, signal: AbortSignal): Promise<ClientAnswer> {
    if (this.isOver || signal.aborted) return Promise.resolve(gone);
    const name = nameOf(ask);
    const given = name === undefined ? undefined : this.given.get(name);
    if (name !== undefined && given !== undefined) {
      this.given.delete(name);
      return Promise.resolve(answeredWith(given));
    }
    if (this.open.size >= mostOpenAsks) return Promise.resolve(tooManyAsks);
    return this.park(ask, this.keyOf(name), signal);
  }

  /** Each is answered once; a key that is not open is nobody's. */
  take({ shown, byKey }: BroughtAnswers): void {
    for (const [key, resultJson] of byKey) {
      const one = this.open.get(key);
      if (one !== undefined && one.number <= shown) one.end(answeredWith(resultJson));
    }
  }

  /** Those that its client does not take any more have nobody to answer them. */
  keep(isTaken: (ask: ClientAsk) => boolean): void {
    for (const one of this.open.values()) if (!isTaken(one.ask)) one.end(gone);
  }

  /** Calls whenever something is asked, or is still open, and nothing more came for a moment. The returned function ends it. */
  watch(listener: () => void): () => void {
    this.watchers.add(listener);
    if (this.open.size > 0) this.gather();
    return () => this.watchers.delete(listener);
  }

  /** Nobody will answer. */
  end(): void {
    this.isOver = true;
    this.endGathering();
    this.watchers.clear();
    for (const one of this.open.values()) one.end(gone);
  }

  private park(ask: ClientAsk, key: string, signal: AbortSignal): Promise<ClientAnswer> {
    const { method, params_json: paramsJson } = ask;
    return new Promise((resolve) => {
      const leave = (): void => one.end(gone);
      const one: OpenAsk = {
        ...{ key, method, paramsJson, ask, number: (this.asked += 1) },
        end: (answer) => {
          signal.removeEventListener('abort', leave);
          if (this.open.get(key) === one) this.open.delete(key);
          resolve(answer);
        },
      };
      this.open.set(key, one);
      signal.addEventListener('abort', leave, { once: true });
      this.gather();
    });
  }

  private keyOf(name: string | undefined): string {
    if (name === undefined || this.names.has(name) || this.names.size >= mostNames)
      return `ask_${randomUUID()}`;
    this.names.add(name);
    return name;
  }

  private gather(): void {
    this.endGathering();
    this.endGathering = this.clock.after(gatherMs, () => {
      if (this.open.size > 0) for (const tell of [...this.watchers]) tell();
    });
  }
}

function nameOf({ params_json }: ClientAsk): string | undefined {
  const name = memberString(params_json, '_meta', nameKey);
  return name !== undefined && Name.test(name) ? name : undefined;
}
