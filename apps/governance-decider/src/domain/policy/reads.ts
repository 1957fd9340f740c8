import { isBag } from '../question/entities.js';

/**
 * Which parts of the context a policy's conditions read, as paths of at most two steps: `env.now`, `args.s`,
 * `facts.hosts`. A part that is used whole appears as such (`args`, or `*` for the context itself), so whoever asks "may it
 * read x" asks `mayRead`.
 */
export type ContextReads = ReadonlySet<string>;

export function contextReads(conditions: readonly { readonly body: unknown }[]): ContextReads {
  const reads = new Set<string>();
  const open: unknown[] = conditions.map((condition) => condition.body);
  while (open.length > 0) {
    const expression = open.pop();
    // A bag of arguments that is named outright is read without the context.
    const path = isNamedBag(expression) ? ['args'] : contextPath(expression);
    if (path !== undefined) note(reads, path, isRecord(expression) && 'has' in expression);
    else if (Array.isArray(expression)) open.push(...expression);
    else if (isRecord(expression)) open.push(...Object.values(expression));
  }
  return reads;
}

function isNamedBag(expression: unknown): boolean {
  if (!isRecord(expression)) return false;
  const { type, id } = expression;
  return typeof type === 'string' && typeof id === 'string' && isBag({ type });
}

/** Whether a whole part is there depends on the action alone, so `context has facts` reads nothing of it. */
function note(reads: Set<string>, path: readonly string[], isPresence: boolean): void {
  if (isPresence && path.length < 2) return;
  reads.add(path.length === 0 ? '*' : path.slice(0, 2).join('.'));
}

export function mayRead(reads: ContextReads, path: string): boolean {
  return reads.has('*') || reads.has(path) || reads.has(path.split('.')[0] ?? path);
}

/** Entity ids of one type that stand anywhere in the conditions. */
export function mentionedIds(json: unknown, type: string): readonly string[] {
  const ids: string[] = [];
  const open: unknown[] = [json];
  while (open.length > 0) {
    const value = open.pop();
    if (Array.isArray(value)) open.push(...value);
    else if (isRecord(value)) {
      if (value['type'] === type && typeof value['id'] === 'string') ids.push(value['id']);
      open.push(...Object.values(value));
    }
  }
  return ids;
}

/** `context.a.b` and `context.a has b` as `['a', 'b']`. Nothing for other expressions. */
function contextPath(expression: unknown): readonly string[] | undefined {
  const steps: string[] = [];
  let current: unknown = expression;
  while (isRecord(current)) {
    if (current['Var'] === 'context') return steps.toReversed();
    const step: unknown = current['.'] ?? current['has'];
    if (!isRecord(step)) return undefined;
    const attributes = Array.isArray(step['attr']) ? step['attr'].map(String) : [String(step['attr'])];
    steps.push(...attributes.toReversed());
    current = step['left'];
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
