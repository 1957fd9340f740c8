import type { Caller, SimulatedVerdict, ToolFacts } from '@uar/contracts';
import type { Engine, EngineLoss } from '../cedar/cedar.js';
import { CedarJudge, type CedarParts } from '../decide/cedar-judge.js';
import type { CallVerdict, DenialCause } from '../decide/verdict.js';
import { questionOf } from '../explain/explain-call.js';
import type { PolicySet } from '../policy/policy-set.js';
import { toolClass } from '../policy/tool-class.js';
import { subjectsOf } from '../question/subjects.js';

export interface SimulatedTool {
  readonly facts: ToolFacts;
  readonly arguments_json: string;
}

export interface MatrixParts extends Pick<CedarParts, 'directory' | 'profile' | 'now'> {
  readonly set: PolicySet;
  readonly callers: readonly Caller[];
  readonly tools: readonly SimulatedTool[];
}

/** Verdicts that several cells share stand once. */
export class VerdictTable {
  readonly verdicts: SimulatedVerdict[] = [];
  readonly #known = new Map<string, number>();

  indexOf(verdict: SimulatedVerdict): number {
    const key = JSON.stringify(verdict);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, this.verdicts.length);
    return this.verdicts.push(verdict) - 1;
  }
}

interface Cell {
  readonly caller: Caller;
  readonly callerIndex: number;
  readonly key: string;
  readonly tool: SimulatedTool;
}

export type Filled =
  | { readonly kind: 'complete' }
  | { readonly kind: 'unfinished' }
  /** The engine gave no answer: nothing is said about that cell. */
  | { readonly kind: 'lost'; readonly cause: DenialCause };

const cellsAtOnce = 8;
const noAnswer: readonly (DenialCause | EngineLoss)[] = [
  ...(['engine_failed', 'engine_timeout', 'engine_overloaded', 'engine_unavailable'] as const),
];

/** What one set says of every caller and tool; tools that no policy can tell apart are judged once. */
export class VerdictMatrix {
  readonly #keys: readonly string[];
  readonly #open: Cell[];
  readonly #found: readonly Map<string, number>[];

  constructor(
    private readonly parts: MatrixParts,
    private readonly table: VerdictTable,
  ) {
    const { callers, tools, set } = parts;
    this.#keys = tools.map((tool) => keyOf(tool, set));
    const classes = [...new Map(tools.map((tool, index) => [this.#keys[index] ?? '', tool]))];
    this.#open = callers.flatMap((caller, callerIndex) =>
      classes.map(([key, tool]) => ({ caller, callerIndex, key, tool })),
    );
    this.#found = callers.map(() => new Map());
  }

  /** Judges on `engine` until everything is, or `until` is reached. */
  async fill(engine: Engine, until: number): Promise<Filled> {
    const judge = new CedarJudge({
      ...this.parts,
      engine,
      sets: { of: () => this.parts.set },
      remembered: 0,
    });
    while (this.#open.length > 0) {
      if (this.parts.now() >= until) return { kind: 'unfinished' };
      const cells = this.#open.slice(-cellsAtOnce);
      const judged = await Promise.all(
        cells.map(({ caller, tool }) => judge.judgeCall(questionOf({ caller, tool: tool.facts, ...tool }))),
      );
      for (const [index, cell] of cells.entries()) {
        const verdict = judged[index]?.verdict;
        if (verdict === undefined) return { kind: 'lost', cause: 'engine_failed' };
        if (verdict.kind === 'deny' && noAnswer.includes(verdict.cause))
          return { kind: 'lost', cause: verdict.cause };
        this.#found[cell.callerIndex]?.set(cell.key, this.table.indexOf(this.shown(cell.caller, verdict)));
      }
      this.#open.length -= cells.length;
    }
    return { kind: 'complete' };
  }

  /** `[caller][tool]`, once it is complete. */
  indexes(): number[][] {
    return this.#found.map((found) => this.#keys.map((key) => found.get(key) ?? 0));
  }

  private shown(caller: Caller, verdict: CallVerdict): SimulatedVerdict {
    return {
      decision: verdict.kind,
      ...(verdict.kind === 'deny' ? { outcome: verdict.outcome, cause: verdict.cause } : {}),
      determining: [...verdict.determining],
      seen: this.sees(caller, verdict),
    };
  }

  private sees(caller: Caller, verdict: CallVerdict): boolean {
    if (verdict.kind !== 'deny') return true;
    const isKnown = subjectsOf(caller.principal, this.parts.directory).kind === 'known';
    return isKnown && verdict.outcome !== 'unknown_tool';
  }
}

/** Arguments make a tool like no other but those with the same ones at the same pointers. */
function keyOf({ facts, arguments_json }: SimulatedTool, set: PolicySet): string {
  const own = arguments_json === '{}' ? '' : JSON.stringify([arguments_json, facts.extractors]);
  return `${toolClass(facts, set)} ${own}`;
}
