import type { Bag, PointerRead } from './pointer-reads.js';

/** What no arguments whatever can satisfy: the spelling of the pointer, or the bag it is looked for in. */
export function formProblem({
  bag,
  pointer,
}: PointerRead): { message: string; suggestion?: string } | undefined {
  if (!isPointer(pointer)) return misspelled(pointer);
  const isRepeated = pointer.split('/').includes('*');
  if (bag === 'l' && !isRepeated)
    return { message: `context.args.l holds what stands below arrays, and "${pointer}" names none` };
  if (isRepeated && bag !== 'l' && bag !== 'paths' && bag !== 'nulls')
    return {
      message: `"${pointer}" stands below an array: context.args.${bag} never has it`,
      suggestion: `context.args.l`,
    };
  return undefined;
}

/** The name and the kind that a pointer of `bag` looks for; `l` says the kind behind a colon. */
export function soughtBy({ bag, pointer }: PointerRead): readonly { pointer: string; type: string }[] {
  if (bag !== 'l') return [{ pointer, type: typeOf[bag] }];
  const typed = /^(.*):(number|boolean)$/s.exec(pointer);
  const plain = { pointer, type: 'string' };
  return typed === null ? [plain] : [{ pointer: typed[1] ?? '', type: typed[2] ?? '' }, plain];
}

const typeOf: Readonly<Record<Exclude<Bag, 'l'>, string>> = {
  s: 'string',
  n: 'number',
  d: 'number',
  b: 'boolean',
  paths: 'any',
  nulls: 'any',
};

/** Where values of a type stand. */
export function bagOf(type: string, isRepeated: boolean): string | undefined {
  if (isRepeated) return type === 'string' || type === 'number' || type === 'boolean' ? 'l' : undefined;
  return { string: 's', number: 'n', boolean: 'b', null: 'nulls' }[type];
}

function isPointer(text: string): boolean {
  return text.startsWith('/') && text.slice(1).split('/').every(isStep);
}

function isStep(step: string): boolean {
  return step === '*' || /^(?:[^~*]|~[012])*$/s.test(step);
}

function misspelled(pointer: string): { message: string; suggestion?: string } {
  const message = `"${pointer}" is no argument pointer: "/" before each name, "*" for the elements of an array`;
  const steps = pointer.replace(/^\$?\.?\/?/, '').split(pointer.includes('/') ? '/' : /\.|\[\d*\*?\]\.?/);
  const likely = `/${steps.map(stepOf).join('/')}`;
  return isPointer(likely) && likely !== pointer ? { message, suggestion: likely } : { message };
}

function stepOf(step: string): string {
  if (isStep(step)) return step;
  return step.replace(/~(?![012])/g, '~0').replaceAll('*', '~2');
}
