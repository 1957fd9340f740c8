/** Cedar's JSON form of expressions, walked without knowing all of it. */
export type Expression = Readonly<Record<string, unknown>>;

export function isExpression(value: unknown): value is Expression {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every object of the form, outer ones first. */
export function* expressionsIn(root: unknown): Generator<Expression> {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (Array.isArray(value)) open.push(...(value as unknown[]).toReversed());
    else if (isExpression(value)) {
      yield value;
      open.push(...Object.values(value).toReversed());
    }
  }
}

export interface Operands {
  readonly left: unknown;
  readonly right: unknown;
}

/** The two sides of `&&`, `==`, `hasTag`, ...; nothing when the expression is another one. */
export function operands(expression: unknown, operator: string): Operands | undefined {
  if (!isExpression(expression)) return undefined;
  const sides = expression[operator];
  if (!isExpression(sides) || !('left' in sides) || !('right' in sides)) return undefined;
  return { left: sides['left'], right: sides['right'] };
}

/** Both sides of a chain of one operator, flattened. */
export function chain(expression: unknown, operator: string): readonly unknown[] {
  const found: unknown[] = [];
  const open: unknown[] = [expression];
  while (open.length > 0) {
    const value = open.pop();
    const sides = operands(value, operator);
    if (sides === undefined) found.push(value);
    else open.push(sides.right, sides.left);
  }
  return found;
}

export function isVariable(expression: unknown, name: string): boolean {
  return isExpression(expression) && expression['Var'] === name;
}

/** `context.a.b` as `['a', 'b']`; nothing for what does not start at the context. */
export function contextSteps(expression: unknown): readonly string[] | undefined {
  const steps: string[] = [];
  let current: unknown = expression;
  while (isExpression(current)) {
    if (current['Var'] === 'context') return steps.toReversed();
    const member: unknown = current['.'];
    if (!isExpression(member)) return undefined;
    steps.push(String(member['attr']));
    current = member['left'];
  }
  return undefined;
}

/** String literals anywhere below. */
export function stringsIn(expression: unknown): readonly string[] {
  const found: string[] = [];
  for (const part of expressionsIn(expression)) {
    const value = part['Value'];
    if (typeof value === 'string') found.push(value);
    else if (Array.isArray(value)) found.push(...value.filter((one) => typeof one === 'string'));
  }
  return found;
}

/** Entity literals anywhere below, in scopes as well. */
export function entitiesIn(json: unknown): readonly { readonly type: string; readonly id: string }[] {
  const found: { type: string; id: string }[] = [];
  for (const { type, id } of expressionsIn(json))
    if (typeof type === 'string' && typeof id === 'string') found.push({ type, id });
  return found;
}
