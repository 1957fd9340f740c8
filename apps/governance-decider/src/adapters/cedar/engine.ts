import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Engine, QuestionBatch, RawAnswer } from '../../domain/cedar/cedar.js';
import type { Installable, Laboratory, Stage, Tried } from '../../domain/policy/laboratory.js';
import { defaultLimits, type EngineLimits } from './engine-limits.js';
import { runPassingBy } from './pass-by.js';
import { Seat } from './seat.js';
import { SpareInstance, installOn, lost } from './spare-instance.js';

const restartMs = 250;

/** Compiles once what every worker instantiates. */
export async function compileCedar(): Promise<WebAssembly.Module> {
  // The web build has no door for `require`; its neighbour has.
  const neighbour = createRequire(import.meta.url).resolve('@cedar-policy/cedar-wasm/nodejs');
  return WebAssembly.compile(await readFile(join(dirname(neighbour), '../web/cedar_wasm_bg.wasm')));
}

/**
 * One active instance and one hot spare. Evaluation has no effects, so a batch that was waiting when an instance ended is
 * asked again of the next; the batch that ended it is answered as lost (GOVERNANCE.md 4a).
 */
export class CedarEngine implements Engine, Stage {
  #active: Seat | undefined;
  #spare: Seat | undefined;
  #sets: ReadonlyMap<string, Installable> = new Map();
  #isStarting = false;
  #isStopped = false;
  #inFlight = 0;
  #rehearsal: Promise<unknown> = Promise.resolve();
  #rehearsing: Seat | undefined;
  #onSeat: (() => void)[] = [];

  private constructor(
    private readonly module: WebAssembly.Module,
    private readonly limits: EngineLimits,
  ) {}

  static async start(module: WebAssembly.Module, limits: Partial<EngineLimits> = {}): Promise<CedarEngine> {
    const engine = new CedarEngine(module, { ...defaultLimits, ...limits });
    await engine.#refill();
    await engine.#refill();
    return engine;
  }

  /** Both instances stand: a decision survives the loss of one. */
  get isWhole(): boolean {
    return this.#active !== undefined && this.#spare !== undefined;
  }

  get isServing(): boolean {
    return this.#active !== undefined;
  }

  async ask(batch: QuestionBatch): Promise<readonly RawAnswer[]> {
    if (this.#inFlight >= this.limits.maxWaiting) return lost(batch, 'engine_overloaded');
    this.#inFlight += 1;
    let timer: NodeJS.Timeout | undefined;
    const expiry = new Promise<readonly RawAnswer[]>((resolve) => {
      timer = setTimeout(() => resolve(lost(batch, 'engine_timeout')), this.limits.waitMs);
    });
    try {
      return await Promise.race([this.#askSeats(batch, Date.now() + this.limits.waitMs), expiry]);
    } finally {
      clearTimeout(timer);
      this.#inFlight -= 1;
    }
  }

  rehearse<T>(work: (laboratory: Laboratory) => Promise<T>): Promise<Tried<T>> {
    const turn = this.#rehearsal.then(() => this.#withSpare(work));
    this.#rehearsal = turn.catch(() => undefined);
    return turn;
  }

  async publish(sets: readonly Installable[]): Promise<Tried<void>> {
    this.#sets = new Map(sets.map((set) => [set.version, set]));
    const spare = this.#spare;
    const problem = spare === undefined ? undefined : await this.#installAll(spare);
    if (problem !== undefined) return { kind: 'failed', message: problem };
    if (spare?.isAlive === true && this.#spare === spare) {
      this.#spare = this.#active;
      this.#active = spare;
    }
    for (const seat of [this.#active, this.#spare]) {
      if (seat !== undefined && seat.isAlive) await this.#installAll(seat);
    }
    const behind = this.#spare;
    if (behind !== undefined) void this.#retireOthers(behind);
    return { kind: 'done', value: undefined };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake();
    await Promise.all([this.#active?.stop(), this.#spare?.stop()]);
  }

  async #askSeats(batch: QuestionBatch, until: number): Promise<readonly RawAnswer[]> {
    while (!this.#isStopped && Date.now() < until) {
      const seat = this.#active;
      if (seat === undefined) {
        await new Promise<void>((resolve) => this.#onSeat.push(resolve));
        continue;
      }
      const { batchMs: limitMs, passByMs: afterMs } = this.limits;
      const idle = () => this.#idleBeside(seat, batch.set);
      const result = await runPassingBy(seat, { op: 'ask', ...batch }, { limitMs, afterMs, idle });
      if (result.kind === 'answers') return result.answers;
      if (result.kind !== 'gone')
        return lost(batch, result.kind === 'timed_out' ? 'engine_timeout' : 'engine_unavailable');
    }
    return lost(batch, this.#isStopped ? 'engine_unavailable' : 'engine_timeout');
  }

  /**
   * Never an instance that a rehearsal works on: what is tried there may have broken it. Nor one that has given up the set,
   * as the spare does with what is no longer in force: its loss would be taken for the answer.
   */
  #idleBeside(seat: Seat, set: string): Seat | undefined {
    const other = seat === this.#spare ? this.#active : this.#spare;
    if (other === undefined || other === this.#rehearsing || other.load > 0) return undefined;
    return !other.installed.has(set) || this.#lacksSets(other) ? undefined : other;
  }

  async #withSpare<T>(work: (laboratory: Laboratory) => Promise<T>): Promise<Tried<T>> {
    const until = Date.now() + this.limits.loadMs;
    while (this.#spare === undefined) {
      if (this.#isStopped || Date.now() > until)
        return { kind: 'failed', message: 'no spare instance of the engine' };
      await this.#nextSeat(until - Date.now());
    }
    const seat = this.#spare;
    const throwsBefore = seat.health.throws;
    let hasEnded = false;
    this.#rehearsing = seat;
    try {
      const value = await work(new SpareInstance(seat, this.limits, (version) => this.#sets.has(version)));
      hasEnded = true;
      return { kind: 'done', value };
    } finally {
      // Whatever threw may have left the instance broken, or something behind in it: nobody is asked there any more.
      if (!hasEnded || seat.health.throws > throwsBefore) await this.#replaceSpare(seat);
      this.#rehearsing = undefined;
    }
  }

  async #replaceSpare(seat: Seat): Promise<void> {
    if (this.#spare !== seat) return;
    this.#spare = undefined;
    await seat.stop();
    await this.#refill();
  }

  /** An instance took a place, or the time is over. */
  async #nextSeat(limitMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#onSeat.push(resolve);
      timer = setTimeout(resolve, Math.max(1, limitMs));
    });
    clearTimeout(timer);
  }

  async #installAll(seat: Seat): Promise<string | undefined> {
    for (const set of this.#sets.values()) {
      const problem = await installOn(seat, set, this.limits.loadMs);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  /** Sets may be published while an instance is being brought up to date. */
  #lacksSets(seat: Seat): boolean {
    return [...this.#sets.keys()].some((version) => !seat.installed.has(version));
  }

  async #retireOthers(seat: Seat): Promise<void> {
    const versions = [...seat.installed].filter((version) => !this.#sets.has(version));
    for (const version of versions) seat.installed.delete(version);
    if (versions.length > 0) await seat.run({ op: 'retire', versions }, this.limits.loadMs);
  }

  /** Starts an instance, brings it up to date, and gives it the place that is free. */
  async #refill(): Promise<void> {
    if (this.#isStarting || this.#isStopped || this.isWhole) return;
    this.#isStarting = true;
    const seat: Seat = new Seat({ module: this.module }, (event) => this.#review(seat, event));
    const ready = await seat.run({ op: 'retire', versions: [] }, this.limits.loadMs);
    let problem = ready.kind === 'done' ? await this.#installAll(seat) : ready.kind;
    while (problem === undefined && this.#lacksSets(seat)) problem = await this.#installAll(seat);
    this.#isStarting = false;
    if (this.#isStopped || problem !== undefined || !seat.isAlive) {
      await seat.stop();
      setTimeout(() => void this.#refill(), restartMs).unref();
      return;
    }
    if (this.#active === undefined) this.#active = seat;
    else this.#spare = seat;
    this.#wake();
    if (!this.isWhole) await this.#refill();
  }

  /** After each reply and at each end of an instance: does it still serve? */
  #review(seat: Seat, event: 'replied' | 'ended'): void {
    if (seat !== this.#active && seat !== this.#spare) return;
    if (event === 'replied' && !this.#isWorn(seat)) return;
    if (seat === this.#spare) this.#spare = undefined;
    else {
      this.#active = this.#spare;
      this.#spare = undefined;
    }
    if (event === 'replied') void seat.retire();
    if (this.#active !== undefined) this.#wake();
    void this.#refill();
  }

  #isWorn(seat: Seat): boolean {
    const { throws, memoryBytes } = seat.health;
    if (throws >= this.limits.maxThrows) return true;
    const isDue = throws >= this.limits.recycleThrows || memoryBytes > this.limits.recycleBytes;
    return isDue && (seat === this.#spare || this.#spare !== undefined);
  }

  #wake(): void {
    const waiting = this.#onSeat;
    this.#onSeat = [];
    for (const resolve of waiting) resolve();
  }
}
