import type { Capability, RunLimits, Scope, Selection } from '@uar/contracts';

/** Ids that are left: these alone, or every one but the denied. */
export type Left =
  | { readonly kind: 'only'; readonly ids: ReadonlySet<string> }
  | { readonly kind: 'all_but'; readonly ids: ReadonlySet<string> };

/** What all scopes of a run leave together (DESIGN.md 6). */
export interface EffectiveRun {
  readonly tools: Left;
  readonly servers: Left;
  /** Some scope wants a human for every call. */
  readonly asks: boolean;
  /** Some scope refuses what would need a human. */
  readonly refuses: boolean;
  /** Absent: those of the principal. */
  readonly capabilities?: readonly Capability[];
}

/** A tool as scopes know it: native tools belong to the server `native`. Of what is no tool they know the server alone. */
export interface ScopedTool {
  readonly name?: string;
  readonly server: string;
}

const everything: Left = { kind: 'all_but', ids: new Set() };

/** A run that no scope takes anything from. */
export const wholeRun: EffectiveRun = {
  tools: everything,
  servers: everything,
  asks: false,
  refuses: false,
};

export function effectiveRun(scopes: readonly (Scope | undefined)[], outer = wholeRun): EffectiveRun {
  return scopes.reduce<EffectiveRun>(
    (run, scope) => (scope === undefined ? run : narrowed(run, scope)),
    outer,
  );
}

/** The same run or a smaller one, whatever the scope says. */
function narrowed(outer: EffectiveRun, scope: Scope): EffectiveRun {
  const capabilities = sharedCapabilities(outer.capabilities, scope.capabilities);
  return {
    tools: selected(outer.tools, scope.tools),
    servers: selected(outer.servers, scope.mcp_servers),
    asks: outer.asks || scope.tool_approval === 'ask',
    refuses: outer.refuses || scope.tool_approval === 'deny',
    ...(capabilities === undefined ? {} : { capabilities }),
  };
}

function selected(outer: Left, selection: Selection | undefined): Left {
  if (selection === undefined) return outer;
  return without(chosen(outer, selection), selection.denied_ids ?? []);
}

function chosen(outer: Left, { mode, ids = [] }: Selection): Left {
  switch (mode) {
    case 'inherit':
    case 'auto':
    case 'all':
      return outer;
    case 'none':
      return { kind: 'only', ids: new Set() };
    case 'selected':
      return { kind: 'only', ids: new Set(ids.filter((id) => isLeft(outer, id))) };
  }
}

function without(left: Left, denied: readonly string[]): Left {
  if (denied.length === 0) return left;
  const gone = new Set(denied);
  if (left.kind === 'all_but') return { kind: 'all_but', ids: new Set([...left.ids, ...gone]) };
  return { kind: 'only', ids: new Set([...left.ids].filter((id) => !gone.has(id))) };
}

function isLeft({ kind, ids }: Left, id: string): boolean {
  return kind === 'only' ? ids.has(id) : !ids.has(id);
}

function sharedCapabilities(
  outer: readonly Capability[] | undefined,
  inner: readonly Capability[] | undefined,
): readonly Capability[] | undefined {
  if (outer === undefined || inner === undefined) return inner ?? outer;
  return outer.filter((capability) => inner.includes(capability));
}

/** Every call would need a human, and nobody may be asked. */
export function canRunNothing({ asks, refuses }: EffectiveRun): boolean {
  return asks && refuses;
}

/** May the tool be used in the run? Its own selection and that of its server must both leave it. */
export function leaves(run: EffectiveRun, { name, server }: ScopedTool): boolean {
  if (name === undefined) return leavesServer(run, server);
  return !canRunNothing(run) && isLeft(run.tools, name) && leavesServer(run, server);
}

export function leavesServer(run: EffectiveRun, server: string): boolean {
  return isLeft(run.servers, server);
}

/** The strictest that any scope says. */
export function toolApprovalOf({ asks, refuses }: EffectiveRun): RunLimits['tool_approval'] {
  if (refuses) return 'deny';
  return asks ? 'ask' : 'auto';
}

/** What the PDP must know of the run; undefined where it takes nothing away. */
export function limitsOf(run: EffectiveRun): RunLimits | undefined {
  const { capabilities } = run;
  const tool_approval = toolApprovalOf(run);
  if (tool_approval === 'auto' && capabilities === undefined) return undefined;
  return { tool_approval, ...(capabilities === undefined ? {} : { capabilities: [...capabilities] }) };
}

const strictness: readonly RunLimits['tool_approval'][] = ['auto', 'ask', 'deny'];

/** The first member in which `after` would give what `before` does not; undefined when it only takes away. */
export function widenedMember(before: EffectiveRun, after: EffectiveRun): keyof Scope | undefined {
  if (!isWithin(after.tools, before.tools)) return 'tools';
  if (!isWithin(after.servers, before.servers)) return 'mcp_servers';
  if (strictness.indexOf(toolApprovalOf(after)) < strictness.indexOf(toolApprovalOf(before)))
    return 'tool_approval';
  const { capabilities } = before;
  if (capabilities === undefined) return undefined;
  const isNarrow = after.capabilities?.every((capability) => capabilities.includes(capability)) ?? false;
  return isNarrow ? undefined : 'capabilities';
}

function isWithin(inner: Left, outer: Left): boolean {
  if (inner.kind === 'only') return [...inner.ids].every((id) => isLeft(outer, id));
  return outer.kind === 'all_but' && [...outer.ids].every((id) => inner.ids.has(id));
}
