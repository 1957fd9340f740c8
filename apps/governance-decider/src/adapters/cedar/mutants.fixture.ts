/** One policy changed so that it says less: each must make some case fail. */
export interface Mutant {
  readonly what: string;
  /** Nothing: the policy is left out. */
  readonly text: string | undefined;
}

/** Deletes the policy, each of its conditions, and each single operand of `&&` and `||` in them. */
export function mutantsOf(text: string): readonly Mutant[] {
  const conditions = [...text.matchAll(/\b(?:when|unless)\s*\{/g)].map((found) => {
    const start = found.index + found[0].length;
    return { whole: found.index, start, end: closing(text, start - 1) };
  });
  const stripped = conditions.map(({ whole, end }) => ({
    what: 'condition stripped',
    text: text.slice(0, whole) + text.slice(end + 1),
  }));
  const dropped = conditions.flatMap(({ start, end }) =>
    withoutOneOperand(text.slice(start, end)).map(({ dropped: operand, rest }) => ({
      what: `without ${operand}`,
      text: `${text.slice(0, start)} ${rest} ${text.slice(end)}`,
    })),
  );
  return [{ what: 'deleted', text: undefined }, ...stripped, ...dropped];
}

interface Smaller {
  readonly dropped: string;
  readonly rest: string;
}

/** Every expression that lacks exactly one operand, at any depth of parentheses. */
function withoutOneOperand(expression: string): readonly Smaller[] {
  const trimmed = expression.trim();
  for (const operator of ['||', '&&']) {
    const operands = split(trimmed, operator);
    if (operands.length > 1) return operands.flatMap((_, index) => withoutOperand(operands, index, operator));
  }
  if (!trimmed.startsWith('(') || closing(trimmed, 0) !== trimmed.length - 1) return [];
  return withoutOneOperand(trimmed.slice(1, -1)).map(({ dropped, rest }) => ({ dropped, rest: `(${rest})` }));
}

function withoutOperand(operands: readonly string[], index: number, operator: string): readonly Smaller[] {
  const operand = operands[index] ?? '';
  const joined = (changed: string | undefined) =>
    operands
      .map((other, at) => (at === index ? changed : other))
      .filter((other) => other !== undefined)
      .join(` ${operator} `);
  const inside = withoutOneOperand(operand).map(({ dropped, rest }) => ({ dropped, rest: joined(rest) }));
  return [{ dropped: operand, rest: joined(undefined) }, ...inside];
}

function split(expression: string, operator: string): readonly string[] {
  const operands: string[] = [];
  let start = 0;
  for (let at = 0; at < expression.length; at += 1) {
    if ('([{'.includes(expression[at] ?? '')) at = closing(expression, at);
    else if (expression.startsWith(operator, at)) {
      operands.push(expression.slice(start, at).trim());
      start = at + operator.length;
    }
  }
  return [...operands, expression.slice(start).trim()];
}

/** Where the bracket that opens at `open` closes. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if ('([{'.includes(text[at] ?? '')) depth += 1;
    else if (')]}'.includes(text[at] ?? '')) depth -= 1;
    if (depth === 0) return at;
  }
  throw new Error(`nothing closes in ${text}`);
}
