import type {
  AnswerOf,
  AskOf,
  Caller,
  CatalogEntry,
  CellVerdict,
  PolicyProblemView,
  SimulatedVerdict,
  SimulationView,
  TenantId,
  simulateCalls,
} from '@uar/contracts';
import type { Catalog, Checked, Unavailable } from '../call/ports.js';
import { stageCall, type PreviewParts, type StagedPreview } from './staged-call.js';

type Ask = AskOf<typeof simulateCalls>;
type Answer = AnswerOf<typeof simulateCalls>;
type Refused = Exclude<Answer, { kind: 'simulated' } | { kind: 'unavailable' }>;

export interface SimulatingPdp {
  simulate(ask: Ask): Promise<Answer | { readonly kind: 'too_large' }>;
}

export interface SimulationCatalog extends Catalog {
  /** In order of name. */
  entries(tenant: TenantId): readonly CatalogEntry[];
}

export interface SimulationParts {
  readonly preview: PreviewParts;
  readonly catalog: SimulationCatalog;
  readonly pdp: SimulatingPdp;
  /** Lets everything else that waits have its turn. */
  breathe(): Promise<void>;
}

export interface SimulationRequest {
  readonly tenant: TenantId;
  readonly callers: readonly Caller[];
  readonly policies?: Readonly<Record<string, string>>;
  /** Absent: every tool of the tenant. */
  readonly tools?: readonly string[];
  /** Argument texts by tool. */
  readonly argumentTexts: ReadonlyMap<string, string>;
}

export type SimulationOutcome =
  | { readonly kind: 'simulated'; readonly view: SimulationView }
  | { readonly kind: 'too_many_cells'; readonly cells: number }
  | { readonly kind: 'too_large' }
  | Refused
  | Unavailable;

interface Row {
  readonly name: string;
  readonly entry: CatalogEntry | undefined;
  readonly argumentsJson: string;
  /** One per caller. */
  readonly staged: readonly StagedPreview[];
}

interface Judged {
  readonly active: CellVerdict;
  readonly candidate?: CellVerdict;
}

type Simulated = Extract<Answer, { kind: 'simulated' }>;

const toolsPerAsk = 200;
const charsPerAsk = 256 * 1024;
const cellsPerBreath = 256;

/** Principals by tools, by the active set and by a candidate. Nothing is called, granted or recorded. */
export class Simulations {
  constructor(private readonly parts: SimulationParts) {}

  async simulate(request: SimulationRequest, mostCells: number): Promise<SimulationOutcome> {
    const names = request.tools ?? this.parts.catalog.entries(request.tenant).map(({ name }) => name);
    const cells = names.length * request.callers.length;
    if (cells > mostCells) return { kind: 'too_many_cells', cells };
    const rows = await this.staged(request, [...new Set<string>(names)]);
    const known = rows.filter((row) => row.entry !== undefined).toSorted(byFacts);
    const answers: { readonly rows: readonly Row[]; readonly answer: Simulated }[] = [];
    for (const piece of piecesOf(known)) {
      const answer = await this.parts.pdp.simulate(askOf(request, piece));
      if (answer.kind !== 'simulated') return answer;
      if (answer.active_version !== (answers[0]?.answer ?? answer).active_version)
        return { kind: 'unavailable', cause: 'policies_changed' };
      answers.push({ rows: piece, answer });
    }
    return { kind: 'simulated', view: viewOf(request, rows, answers) };
  }

  private async staged(request: SimulationRequest, names: readonly string[]): Promise<readonly Row[]> {
    const rows: Row[] = [];
    let sinceBreath = 0;
    for (const name of names) {
      const argumentsJson = request.argumentTexts.get(name);
      rows.push(await this.row(request, name, argumentsJson));
      sinceBreath += request.callers.length;
      if (sinceBreath < cellsPerBreath) continue;
      sinceBreath = 0;
      await this.parts.breathe();
    }
    return rows;
  }

  private async row(request: SimulationRequest, name: string, given: string | undefined): Promise<Row> {
    const schemas =
      given === undefined ? { check: (): Checked => ({ kind: 'fits' }) } : this.parts.preview.schemas;
    const argumentsJson = given ?? '{}';
    const staged: StagedPreview[] = [];
    for (const caller of request.callers)
      staged.push(
        await stageCall({ ...this.parts.preview, schemas }, { caller, toolName: name, argumentsJson }),
      );
    return { name, entry: this.parts.catalog.find(request.tenant, name), argumentsJson, staged };
  }
}

/** The decider judges tools that no policy tells apart once per ask: neighbours in this order are most alike. */
function byFacts(left: Row, right: Row): number {
  const [one, other] = [left, right].map(({ entry }) =>
    JSON.stringify([entry?.facts.server, entry?.facts.risk, entry?.facts.capabilities, entry?.facts.labels]),
  );
  return (one ?? '') < (other ?? '') ? -1 : 1;
}

function piecesOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  const pieces: Row[][] = [];
  let chars = Infinity;
  for (const row of rows) {
    const last = pieces.at(-1);
    if (last === undefined || last.length >= toolsPerAsk || chars + row.argumentsJson.length > charsPerAsk) {
      pieces.push([row]);
      chars = 0;
    } else last.push(row);
    chars += row.argumentsJson.length;
  }
  // A candidate is checked even where there is no tool to try it on.
  return pieces.length === 0 ? [[]] : pieces;
}

function askOf({ tenant, callers, policies }: SimulationRequest, rows: readonly Row[]): Ask {
  return {
    tenant,
    callers: callers.map((caller, index) => rows[0]?.staged[index]?.caller ?? caller),
    tools: rows.flatMap(({ entry, argumentsJson }) =>
      entry === undefined ? [] : [{ facts: entry.facts, arguments_json: argumentsJson }],
    ),
    ...(policies === undefined ? {} : { policies }),
  };
}

/** What a name comes to that is not in the catalog. */
function withoutTool(staged: StagedPreview | undefined): CellVerdict {
  const { outcome = 'unknown_tool', cause = 'no_such_name' } = staged?.refusal ?? {};
  return { decision: 'deny', outcome, cause, policies: [] };
}

function viewOf(
  { callers }: SimulationRequest,
  rows: readonly Row[],
  answers: readonly { readonly rows: readonly Row[]; readonly answer: Simulated }[],
): SimulationView {
  const judged = new Map(
    answers.flatMap(({ rows: piece, answer }) =>
      piece.map((row, index) => [row, { answer, index }] as const),
    ),
  );
  const [first] = answers;
  const isCompared = first?.answer.candidate !== undefined;
  const matrix = callers.flatMap((caller, principal) =>
    rows.map((row) => ({
      ...{ principal, sub: caller.principal.subject, tool: row.name },
      ...cellOf({ row, caller: principal, isCompared }, judged.get(row)),
    })),
  );
  return {
    version: first?.answer.candidate_version ?? first?.answer.active_version ?? 'none',
    active_version: first?.answer.active_version ?? 'none',
    matrix,
    differences: matrix.flatMap(differenceIn),
    warnings: warningsOf(rows, first?.answer.warnings ?? []),
  };
}

function cellOf(
  { row, caller, isCompared }: { readonly row: Row; readonly caller: number; readonly isCompared: boolean },
  found: { readonly answer: Simulated; readonly index: number } | undefined,
): Judged {
  const staged = row.staged[caller];
  const at = (indexes: readonly (readonly number[])[] | undefined): CellVerdict | undefined => {
    const index = indexes?.[caller]?.[found?.index ?? -1];
    const verdict = index === undefined ? undefined : found?.answer.verdicts[index];
    return verdict === undefined ? undefined : combined(staged, verdict);
  };
  const cell = (indexes: Parameters<typeof at>[0]) => at(indexes) ?? withoutTool(staged);
  return {
    active: cell(found?.answer.active),
    ...(isCompared ? { candidate: cell(found?.answer.candidate) } : {}),
  };
}

/** What a stage before the PDP refuses is refused whatever policies say, to whoever may know the tool. */
function combined(staged: StagedPreview | undefined, verdict: SimulatedVerdict): CellVerdict {
  const { determining: policies, seen, ...said } = verdict;
  const refusal = staged?.refusal;
  if (refusal === undefined) return { ...said, policies };
  if (staged?.needsSight === true && !seen)
    return { decision: 'deny', outcome: 'unknown_tool', cause: 'not_discoverable', policies };
  const { outcome, cause } = refusal;
  return { decision: 'deny', outcome, ...(cause === undefined ? {} : { cause }), policies: [] };
}

function differenceIn({ principal, sub, tool, active, candidate }: SimulationView['matrix'][number]) {
  if (candidate === undefined) return [];
  if (active.decision === candidate.decision && active.outcome === candidate.outcome) return [];
  return [
    {
      ...{ principal, sub, tool, was: active.decision, would_be: candidate.decision },
      ...(active.outcome === undefined ? {} : { was_outcome: active.outcome }),
      ...(candidate.outcome === undefined ? {} : { would_be_outcome: candidate.outcome }),
      policies: candidate.policies,
    },
  ];
}

function warningsOf(rows: readonly Row[], found: readonly PolicyProblemView[]): PolicyProblemView[] {
  const unknown = rows.filter(({ entry }) => entry === undefined);
  return [...found, ...unknown.map(({ name }) => ({ message: `there is no tool ${name}` }))];
}

/** Injection token of the Simulations. */
export const SIMULATIONS = Symbol('uar.gateway.simulations');
