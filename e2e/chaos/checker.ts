import type { Receipt } from '@uar/contracts';
import type { ApprovalEnd, EventEnd, Note, Recorded } from './history.js';

type NoteOf<Kind extends Note['kind']> = Extract<Note, { kind: Kind }>;

/** A broken promise, named by the rule that it breaks. */
export interface Violation {
  readonly rule:
    | 'no_double_execution'
    | 'no_execution_without_consumed_approval'
    | 'did_not_run_never_ran'
    | 'ran_has_run'
    | 'one_outcome_per_call'
    | 'every_intent_has_an_outcome'
    | 'the_chain_verifies';
  readonly what: string;
}

/** A gateway that dies this long after an answer may take the receipt of a call without intent with it (DESIGN.md 11). */
const unwrittenMs = 2_000;
/** The same while the ledger, or the way to it, is being started again: its receipts wait in the gateway. */
const waitingMs = 6_000;
/** Longest time in which a ledger that was killed is there again, with whoever has to notice it. */
const awayMs = 20_000;
const waysToLedger = ['approval-service', 'approval-service 2', 'nats-server', 'postgres'];
/** They ran nothing, and the same key may start the call anew. */
const passing = new Set(['rate_limited', 'overloaded', 'unavailable']);
/** Chained once per principal and minute, not per call. */
const counted = new Set(['rate_limited', 'overloaded']);

/** Joins what all actors wrote and the plane recorded. Pure: the same histories give the same violations. */
export function check(notes: readonly Note[], recorded: Recorded): Violation[] {
  const history = new History(notes, recorded);
  return [
    ...history.ids().flatMap((id) => executionsOf(history, id)),
    ...history.answers.flatMap((answer) => outcomeOf(history, answer)),
    ...receiptsOf(history),
    ...eventsOf(history, recorded.ends),
    ...recorded.chain.map((what) => ({ rule: 'the_chain_verifies' as const, what })),
  ];
}

class History {
  private readonly faults: readonly NoteOf<'fault'>[];
  readonly answers: readonly NoteOf<'answered'>[];
  readonly approvals: readonly ApprovalEnd[];
  readonly outcomes: ReadonlyMap<string, readonly Receipt[]>;
  readonly intents: readonly Receipt[];
  private readonly byDigest: ReadonlyMap<string, readonly Receipt[]>;
  private readonly byId: ReadonlyMap<string, readonly Note[]>;

  constructor(notes: readonly Note[], recorded: Recorded) {
    this.faults = notes.filter((note) => note.kind === 'fault');
    this.answers = notes.filter((note) => note.kind === 'answered');
    this.approvals = recorded.approvals;
    this.byId = groupBy(notes, (note) => ('id' in note ? note.id : undefined));
    this.outcomes = groupBy(
      recorded.receipts.filter(({ kind }) => kind === 'outcome'),
      ({ call_id: callId }) => callId,
    );
    this.byDigest = groupBy([...this.outcomes.values()].flat(), (receipt) => receipt.arguments_digest);
    this.intents = recorded.receipts.filter(({ kind }) => kind === 'intent');
  }

  ids(): readonly string[] {
    return [...this.byId.keys()];
  }

  of<Kind extends Note['kind']>(id: string, kind: Kind): NoteOf<Kind>[] {
    return (this.byId.get(id) ?? []).filter((note): note is NoteOf<Kind> => note.kind === kind);
  }

  /** Outcome receipts of calls with these arguments. */
  endsOf(argumentsDigest: string): readonly Receipt[] {
    return this.byDigest.get(argumentsDigest) ?? [];
  }

  /** Was a gateway that may have run it frozen before the answer, for so long that its calls were ended in its place? */
  wasFrozen({ id, at }: NoteOf<'answered'>): boolean {
    const gateways = this.gatewaysOf(id);
    return this.faults.some(
      (fault) => fault.what === 'freeze' && gateways.has(fault.service) && fault.at < at,
    );
  }

  /** Was a gateway that may have run it killed right after the answer, or before the ledger was there again? */
  diedAfter({ id, at }: NoteOf<'answered'>): boolean {
    const gateways = this.gatewaysOf(id);
    return this.faults.some(
      (fault) =>
        fault.what === 'kill' &&
        gateways.has(fault.service) &&
        fault.at >= at - unwrittenMs &&
        fault.at <= at + (this.wasAway(at - waitingMs, fault.at) ? waitingMs : unwrittenMs),
    );
  }

  /** Whoever answers tells what another ran, where the key of a call was sent to both. */
  private gatewaysOf(id: string): ReadonlySet<string> {
    return new Set(this.of(id, 'asked').map(({ door }) => `gateway ${door}`));
  }

  /** Had the ledger been away, so that calls were refused for it? They are counted, as those of a limit are. */
  refusedBefore({ at }: NoteOf<'answered'>): boolean {
    return this.wasAway(at - awayMs, at);
  }

  private wasAway(from: number, to: number): boolean {
    return this.faults.some(({ service, at }) => waysToLedger.includes(service) && at >= from && at <= to);
  }
}

function executionsOf(history: History, id: string): Violation[] {
  const executed = history.of(id, 'executed');
  const found: Violation[] = [];
  if (executed.length > 1)
    found.push({ rule: 'no_double_execution', what: `${id} ran ${executed.length} times` });
  found.push(...executed.flatMap((execution) => permissionOf(history, execution)));
  const answers = history.of(id, 'answered');
  const isOpen = history.of(id, 'lost').length > 0;
  if (executed.length > 0 && !isOpen && answers.every(({ effect }) => effect === 'did_not_run')) {
    const said = answers.map(({ outcome }) => outcome).join(', ');
    found.push({ rule: 'did_not_run_never_ran', what: `${id} ran, and its caller was told ${said}` });
  }
  found.push(...executed.slice(0, 1).flatMap((execution) => recordedAs(history, execution, isOpen)));
  if (executed.length === 0 && answers.some(({ effect }) => effect === 'ran'))
    found.push({ rule: 'ran_has_run', what: `${id} is said to have run, and did not` });
  return found;
}

/** The chain does not deny what happened. What only reads may be missing there, if its gateway died. */
function recordedAs(history: History, execution: NoteOf<'executed'>, isOpen: boolean): Violation[] {
  const { id, tool, arguments_digest: digest } = execution;
  const ends = history.endsOf(digest);
  if (ends.length === 0 || ends.some(({ effect }) => effect !== 'did_not_run')) return [];
  if (tool !== 'write' && isOpen) return [];
  const said = ends.map(({ outcome }) => outcome).join(', ');
  return [{ rule: 'did_not_run_never_ran', what: `${id} ran, and its receipts say ${said}` }];
}

/** What changes something runs on an approval that was consumed for these very arguments, with its intent on record. */
function permissionOf(history: History, execution: NoteOf<'executed'>): Violation[] {
  const rule = 'no_execution_without_consumed_approval';
  const { id, tool, arguments_digest: digest } = execution;
  const [asked] = history.of(id, 'asked');
  if (asked?.arguments_digest !== digest)
    return [{ rule, what: `${id} ran with other arguments than were asked for` }];
  if (tool !== 'write') return [];
  const consumed = history.approvals.filter(
    (approval) => approval.arguments_digest === digest && approval.status === 'consumed',
  );
  const [approval] = consumed;
  if (approval === undefined) return [{ rule, what: `${id} ran without a consumed approval` }];
  const approvers = new Set(
    approval.votes.filter(({ decision }) => decision === 'approve').map(({ by }) => by),
  );
  if (consumed.length > 1 || approvers.size < approval.rule.quorum)
    return [{ rule, what: `${id} ran on ${consumed.length} approvals with ${approvers.size} approvers` }];
  const intents = history.intents.filter(({ approval_id: of }) => of === approval.approval_id);
  if (intents.length === 1 && intents[0]?.arguments_digest === digest) return [];
  return [{ rule, what: `${id} ran with ${intents.length} intents on record` }];
}

/** The response and the receipt say the same of a call. */
function outcomeOf(history: History, answer: NoteOf<'answered'>): Violation[] {
  const rule = 'one_outcome_per_call';
  const { id, call_id: callId, outcome, receipt } = answer;
  const others = history
    .of(id, 'answered')
    .filter((other) => other.outcome !== outcome && !passing.has(other.outcome) && !passing.has(outcome));
  if (others.length > 0) return [{ rule, what: `${id} ended as ${outcome} and as ${others[0]?.outcome}` }];
  const [recorded] = history.outcomes.get(callId) ?? [];
  if (recorded === undefined) {
    const isCounted = counted.has(outcome) || (outcome === 'unavailable' && history.refusedBefore(answer));
    if (isCounted || history.diedAfter(answer)) return [];
    return [{ rule, what: `${callId} (${id}) was answered ${outcome} and has no outcome receipt` }];
  }
  if (receipt !== null && (receipt.seq !== recorded.seq || receipt.hash !== recorded.hash))
    return [{ rule, what: `${callId} (${id}) was shown a receipt that is not in the chain` }];
  const isLateWord = recorded.cause === 'gateway_gone' && history.wasFrozen(answer);
  const isLostWord = receipt === null && (isLateWord || history.diedAfter(answer));
  if (recorded.outcome === outcome || isLostWord) return [];
  return [{ rule, what: `${callId} (${id}) was answered ${outcome}, its receipt says ${recorded.outcome}` }];
}

function receiptsOf(history: History): Violation[] {
  const twice = [...history.outcomes].filter(([, receipts]) => receipts.length > 1);
  const open = history.intents.filter(({ call_id: callId }) => !history.outcomes.has(callId ?? ''));
  return [
    ...twice.map(([callId, { length }]) => ({
      rule: 'one_outcome_per_call' as const,
      what: `${callId} has ${length} outcome receipts`,
    })),
    ...open.map(({ call_id: callId }) => ({
      rule: 'every_intent_has_an_outcome' as const,
      what: `${callId} has an intent and no outcome`,
    })),
  ];
}

/** Events say what receipts say, once. A gateway that died may have told an end whose receipt was lost with it. */
function eventsOf(history: History, ends: readonly EventEnd[]): Violation[] {
  const rule = 'one_outcome_per_call';
  const byCall = groupBy(ends, ({ call_id: callId }) => callId);
  return [...byCall].flatMap(([callId, told]): Violation[] => {
    if (told.length > 1) return [{ rule, what: `${callId} ended in ${told.length} events` }];
    const [recorded] = history.outcomes.get(callId) ?? [];
    if (recorded === undefined || recorded.cause === 'gateway_gone') return [];
    if (recorded.outcome === told[0]?.outcome) return [];
    const what = `${callId} ended as ${told[0]?.outcome} in its event, as ${recorded.outcome} in its receipt`;
    return [{ rule, what }];
  });
}

function groupBy<T>(
  all: readonly T[],
  keyOf: (one: T) => string | undefined,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}
