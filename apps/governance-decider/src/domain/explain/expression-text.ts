/**
 * An expression of Cedar's JSON form as Cedar text. Every operand that is no single step is put into parentheses, so the text
 * means what the form means without any knowledge of precedence.
 */
export function expressionText(expression: unknown): string {
  const [operator, operands] = partsOf(expression);
  return (printers[operator] ?? called(operator))(operands);
}

type Json = Readonly<Record<string, unknown>>;

const printers: Readonly<Record<string, (operands: unknown) => string>> = {
  Value: valueText,
  Var: String,
  Slot: String,
  '!': (operands) => `!${operand(part(operands, 'arg'))}`,
  neg: (operands) => `-${operand(part(operands, 'arg'))}`,
  ...binaries(['==', '!=', 'in', '<', '<=', '>', '>=', '&&', '||', '+', '-', '*']),
  ...methods(['contains', 'containsAll', 'containsAny', 'getTag', 'hasTag']),
  isEmpty: (operands) => `${operand(part(operands, 'arg'))}.isEmpty()`,
  '.': (operands) => `${operand(part(operands, 'left'))}${access(String(part(operands, 'attr')))}`,
  has: hasText,
  like: (operands) => `${operand(part(operands, 'left'))} like ${patternText(part(operands, 'pattern'))}`,
  is: isText,
  'if-then-else': (operands) =>
    `if ${operand(part(operands, 'if'))} then ${operand(part(operands, 'then'))} else ${operand(part(operands, 'else'))}`,
  Set: (members) => `[${list(members).map(expressionText).join(', ')}]`,
  Record: (members) => recordText(members, expressionText),
};

const binaryOperators = new Set(['==', '!=', 'in', '<', '<=', '>', '>=', '&&', '||', '+', '-', '*']);
const looseForms = new Set(['!', 'neg', 'has', 'like', 'is', 'if-then-else']);
const constructors = new Set(['ip', 'decimal', 'datetime', 'duration']);

function binaries(operators: readonly string[]): typeof printers {
  return Object.fromEntries(
    operators.map((operator) => [
      operator,
      (operands: unknown) =>
        `${leftOf(operator, part(operands, 'left'))} ${operator} ${operand(part(operands, 'right'))}`,
    ]),
  );
}

const chains: readonly (readonly string[])[] = [['&&'], ['||'], ['+', '-'], ['*']];

/** A chain stays flat: parsers do not bear deep nesting. */
function leftOf(operator: string, left: unknown): string {
  const [inner] = partsOf(left);
  const isChain = chains.some((chain) => chain.includes(operator) && chain.includes(inner));
  return isChain ? expressionText(left) : operand(left);
}

function methods(names: readonly string[]): typeof printers {
  return Object.fromEntries(
    names.map((name) => [
      name,
      (operands: unknown) =>
        `${operand(part(operands, 'left'))}.${name}(${expressionText(part(operands, 'right'))})`,
    ]),
  );
}

/** A function of an extension: its value is made by a name of its own, or asked of its first operand. */
function called(name: string): (operands: unknown) => string {
  return (operands) => {
    const [first, ...rest] = list(operands);
    if (constructors.has(name)) return `${name}(${list(operands).map(expressionText).join(', ')})`;
    return `${operand(first)}.${name}(${rest.map(expressionText).join(', ')})`;
  };
}

function operand(expression: unknown): string {
  const [operator, operands] = partsOf(expression);
  const text = expressionText(expression);
  const isLoose = binaryOperators.has(operator) || looseForms.has(operator) || isNegative(operator, operands);
  return isLoose ? `(${text})` : text;
}

function isNegative(operator: string, value: unknown): boolean {
  return operator === 'Value' && (typeof value === 'number' || typeof value === 'bigint') && value < 0;
}

function partsOf(expression: unknown): [string, unknown] {
  const [found] = Object.entries(isRecord(expression) ? expression : {});
  return found ?? ['Value', expression];
}

function part(operands: unknown, name: string): unknown {
  return isRecord(operands) ? operands[name] : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return stringText(value);
  // It was rounded on its way here; an exact one comes as a bigint.
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return `≈${value}`;
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (!isRecord(value)) return String(value);
  const { __entity: entity, __extn: extension } = value;
  if (isRecord(entity)) return `${String(entity['type'])}::${stringText(String(entity['id']))}`;
  if (isRecord(extension)) return `${String(extension['fn'])}(${valueText(extension['arg'])})`;
  return recordText(value, valueText);
}

function recordText(members: unknown, print: (value: unknown) => string): string {
  const entries = Object.entries(isRecord(members) ? members : {});
  return `{${entries.map(([name, value]) => `${stringText(name)}: ${print(value)}`).join(', ')}}`;
}

function hasText(operands: unknown): string {
  const attr = part(operands, 'attr');
  const names = Array.isArray(attr) ? attr.map(String) : [String(attr)];
  const path = names.every(isName) ? names.join('.') : names.map(stringText).join('.');
  return `${operand(part(operands, 'left'))} has ${path}`;
}

function isText(operands: unknown): string {
  const within = part(operands, 'in');
  const type = `${operand(part(operands, 'left'))} is ${String(part(operands, 'entity_type'))}`;
  return within === undefined ? type : `${type} in ${operand(within)}`;
}

function access(name: string): string {
  return isName(name) ? `.${name}` : `[${stringText(name)}]`;
}

const reserved = /^(?:true|false|if|then|else|in|like|has|is|__cedar)$/;

function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text) && !reserved.test(text);
}

function patternText(pattern: unknown): string {
  const elements = list(pattern).map((element) =>
    isRecord(element) ? escaped(String(element['Literal'])).replaceAll('*', String.raw`\*`) : '*',
  );
  return `"${elements.join('')}"`;
}

export function stringText(text: string): string {
  return `"${escaped(text)}"`;
}

function escaped(text: string): string {
  return text.replace(/["\\\p{Cc}\p{Cf}]/gu, (sign) =>
    sign === '"' || sign === '\\' ? `\\${sign}` : `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
