import { randomInt } from 'node:crypto';
import type { LogLevel } from '@uar/contracts';
import { JsonText, memberText, stringifyWithText } from '@uar/json-text';
import type {
  CallEnd,
  ListName,
  ListPage,
  Loss,
  Offers,
  Upstream,
  UpstreamCall,
} from '../../domain/upstream.js';
import { TimeLimit } from '../asked/time-limit.js';
import { endOfFailure, endOfProblem, type Words } from '../call-end.js';
import { lists, pageIn } from '../lists.js';
import { AuthRequired, NotSent } from '../not-sent.js';
import { withOwnSignal } from '../own-signal.js';
import { Changes } from './changes.js';
import type { ServerCapabilities } from './discover.js';
import { readResult } from './input-required.js';
import { lackingIn } from './lacking.js';
import type { Hearer } from './notifications.js';
import { markProblem } from './request-headers.js';
import { Requests } from './requests.js';
import { statelessRevision } from './revision.js';
import { inRounds, type RoundsEnd } from './rounds.js';
import type { Reply, Wire } from './wire.js';

export interface StatelessUpstreamOptions extends Words, Hearer {
  readonly wire: Wire;
  /** Of the server, as it declared them. */
  readonly capabilities: ServerCapabilities;
  /** Arguments are repeated in headers. */
  readonly isHttp: boolean;
  /** It hears for everybody that lists changed. */
  readonly isBase: boolean;
  /** Why the connection ended, as far as its wire knows. */
  readonly explainLoss: () => Promise<string>;
  readonly onUnreachable: () => void;
}

const pageTimeoutMs = 15_000;
const highestFirstToken = 2 ** 47;
const askable: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** An upstream that speaks MCP 2026-07-28: every request stands for itself. */
export class StatelessUpstream implements Upstream {
  readonly revision = statelessRevision;
  readonly lost: Promise<Loss>;
  private readonly requests: Requests;
  private readonly changes: Changes;
  private readonly life = new AbortController();
  private authRequired = false;
  private lastToken = randomInt(highestFirstToken);

  constructor(private readonly options: StatelessUpstreamOptions) {
    const { wire, capabilities, explainLoss } = options;
    this.lost = wire.ended.then(async () => {
      this.life.abort();
      return { message: await explainLoss(), authRequired: this.authRequired };
    });
    this.requests = new Requests({
      ...options,
      hasLogs: capabilities.logging !== undefined,
      onOther: () => void this.close(),
    });
    this.changes = new Changes({
      ...{ ...options, signal: this.life.signal, sender: () => this.requests.sender() },
      onGone: (error) => {
        this.note(error);
        void this.close();
      },
    });
  }

  /** Settles when changes are heard of, or soon without. */
  async start(): Promise<void> {
    await this.changes.start();
  }

  get offers(): Offers {
    return {
      logging: this.options.capabilities.logging !== undefined,
      resourcesChange: this.changes.keeps('resourcesListChanged'),
      promptsChange: this.changes.keeps('promptsListChanged'),
    };
  }

  toolProblem(definition: string): string | undefined {
    return this.options.isHttp ? markProblem(definition) : undefined;
  }

  async listPage(list: ListName, cursor: string | undefined, signal: AbortSignal): Promise<ListPage> {
    const { method, capability } = lists[list];
    if (this.options.capabilities[capability] === undefined) return { kind: 'page', definitions: [] };
    const text = cursor === undefined ? '{}' : JSON.stringify({ cursor });
    try {
      const reply = await withOwnSignal(signal, async (own) => {
        const timer = setTimeout(() => own.abort(), pageTimeoutMs);
        return await this.requests
          .send({ method, text, signal: own.signal })
          .finally(() => clearTimeout(timer));
      });
      const problem = this.listProblem(reply);
      if (reply.kind === 'result' && problem === undefined) return pageIn(reply.text, list);
      return { kind: 'failed', message: `${method} failed: ${problem}` };
    } catch (error) {
      this.note(error);
      const words = this.options.scrub(error instanceof Error ? error.message : String(error));
      return { kind: 'failed', message: `${method} failed: ${words}` };
    }
  }

  async call(call: UpstreamCall): Promise<CallEnd> {
    if (call.signal.aborted) return { kind: 'cancelled', dispatched: false };
    if (this.life.signal.aborted) return { kind: 'unavailable', message: 'the server is not connected' };
    const subscribed = await this.changes.answer(call);
    if (subscribed !== undefined) return subscribed;
    let isTimedOut = false;
    try {
      const end = await withOwnSignal(call.signal, async (own) => {
        const limit = new TimeLimit(call.timeoutMs, () => {
          isTimedOut = true;
          own.abort();
        });
        return await this.rounds(call, limit, own.signal).finally(() => limit.end());
      });
      if (end.kind === 'result') return this.resultEnd(end.text, call);
      if (isTimedOut) return { kind: 'timeout' };
      return call.signal.aborted ? { kind: 'cancelled', dispatched: true } : this.endOf(end);
    } catch (error) {
      this.note(error);
      const isCertain = error instanceof NotSent || error instanceof AuthRequired;
      if (isTimedOut && !isCertain) return { kind: 'timeout' };
      if (call.signal.aborted && !isCertain) return { kind: 'cancelled', dispatched: true };
      const end = endOfFailure(error, this.options);
      if (end === undefined) throw error;
      return end;
    }
  }

  setLogLevel(level: LogLevel): Promise<void> {
    this.requests.level = level;
    return Promise.resolve();
  }

  async ping(timeoutMs: number): Promise<boolean> {
    try {
      return (await this.requests.look(AbortSignal.timeout(timeoutMs))).kind === 'stateless';
    } catch (error) {
      this.note(error);
      return false;
    }
  }

  async close(): Promise<void> {
    await this.options.wire.close();
  }

  private async rounds(call: UpstreamCall, limit: TimeLimit, signal: AbortSignal): Promise<RoundsEnd> {
    const { method, callId, definition, onProgress } = call;
    const token = onProgress === undefined ? undefined : (this.lastToken += 1);
    const text = call.params instanceof JsonText ? call.params.text : stringifyWithText(call.params);
    return await inRounds({
      ...{ client: this.options.client, callId, limit, signal, mayAsk: askable.has(method) },
      send: (brought) =>
        this.requests.send({ method, text, brought, definition, signal, callId, token, onProgress }),
    });
  }

  private resultEnd(text: string, { method, maxResultBytes }: UpstreamCall): CallEnd {
    const bytes = Buffer.byteLength(text);
    if (bytes > maxResultBytes) return { kind: 'result_too_large', bytes };
    const isError = method === 'tools/call' && memberText(text, 'isError') === 'true';
    return { kind: 'ran', result_json: text, is_error: isError };
  }

  private endOf(end: Exclude<RoundsEnd, { kind: 'result' }>): CallEnd {
    if (end.kind === 'no_answer')
      return { kind: 'transport_failure', message: `the upstream answered HTTP ${end.status}` };
    if (end.kind !== 'upstream_error') return endOfProblem(end, this.options);
    const lacking = 'lacking' in end ? end.lacking : lackingIn(end);
    return {
      ...endOfProblem(end, this.options),
      ...(lacking.length > 0 && { lacking: [...lacking] }),
    };
  }

  /** Why a reply is no page. */
  private listProblem(reply: Reply): string | undefined {
    switch (reply.kind) {
      case 'result': {
        const read = readResult(reply.text);
        if (read.kind === 'complete') return undefined;
        return read.kind === 'bad' ? read.message : 'the upstream asked for input where it may not';
      }
      case 'no_answer':
        return `the upstream answered HTTP ${reply.status}`;
      case 'result_too_large':
        return 'the answer is too large';
      case 'upstream_error':
        return this.options.scrub(`${reply.message} (${reply.code})`);
      case 'transport_failure':
        return reply.message;
    }
  }

  /** What a failure says of the connection as a whole: nobody there, or other credentials needed. */
  private note(error: unknown): void {
    if (error instanceof NotSent) this.options.onUnreachable();
    if (!(error instanceof AuthRequired) || error.isOfOneCaller) return;
    this.authRequired = true;
    void this.close();
  }
}
