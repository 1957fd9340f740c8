import { contextSteps, expressionsIn, isExpression, operands, stringsIn } from '../expressions.js';

const bags = ['s', 'n', 'd', 'b', 'l', 'paths', 'nulls'] as const;
export type Bag = (typeof bags)[number];

/** One argument pointer that a policy asks for, and where it looks for it. */
export interface PointerRead {
  readonly bag: Bag;
  readonly pointer: string;
}

const ofTags = ['hasTag', 'getTag'];
const ofSets = ['contains', 'containsAll', 'containsAny', '=='];

/** Pointer literals in a policy's conditions, each once per bag. */
export function pointerReads(conditions: unknown): readonly PointerRead[] {
  const found = new Map<string, PointerRead>();
  const note = (names: readonly Bag[], pointers: readonly string[]) => {
    for (const bag of names) for (const pointer of pointers) found.set(`${bag} ${pointer}`, { bag, pointer });
  };
  for (const expression of expressionsIn(conditions)) {
    for (const method of ofTags) {
      const sides = operands(expression, method);
      if (sides !== undefined) note(bagsIn(sides.left), stringsIn(sides.right));
    }
    for (const method of ofSets) {
      const sides = operands(expression, method);
      if (sides === undefined) continue;
      note(setsIn(sides.left), stringsIn(sides.right));
      note(setsIn(sides.right), stringsIn(sides.left));
    }
  }
  return [...found.values()];
}

function bagsIn(expression: unknown): readonly Bag[] {
  return membersOfArguments(expression).filter((bag) => bag !== 'paths' && bag !== 'nulls');
}

function setsIn(expression: unknown): readonly Bag[] {
  return membersOfArguments(expression).filter((bag) => bag === 'paths' || bag === 'nulls');
}

/** `context.args.x`, also as what a branch may come to. */
function membersOfArguments(expression: unknown): readonly Bag[] {
  const found: Bag[] = [];
  const open = [expression];
  while (open.length > 0) {
    const value = open.pop();
    const [part, member, ...more] = contextSteps(value) ?? [];
    const bag = bags.find((name) => name === member);
    if (part === 'args' && bag !== undefined && more.length === 0) found.push(bag);
    const branch = isExpression(value) ? value['if-then-else'] : undefined;
    if (isExpression(branch)) open.push(branch['then'], branch['else']);
  }
  return found;
}
