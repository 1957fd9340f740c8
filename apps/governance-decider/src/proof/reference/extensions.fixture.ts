import { EvaluationError, within64, type Value, type ValueOf } from './values.fixture.js';

/** The constructors of extension values. Text that they do not take is an error. */
export function construct(name: string, text: string): Value | undefined {
  switch (name) {
    case 'decimal':
      return { kind: 'decimal', is: decimalOf(text) };
    case 'datetime':
      return { kind: 'datetime', is: datetimeOf(text) };
    case 'duration':
      return { kind: 'duration', is: durationOf(text) };
    case 'ip':
      return ipOf(text);
  }
  return undefined;
}

function decimalOf(text: string): bigint {
  const match = /^(-?)(\d+)\.(\d{1,4})$/.exec(text);
  if (match === null) throw new EvaluationError('no decimal');
  const [, sign = '', whole = '', fraction = ''] = match;
  return within64(BigInt(sign + whole + fraction.padEnd(4, '0')));
}

const dayMs = 86_400_000n;

function datetimeOf(text: string): bigint {
  const match =
    /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d{3}))?(?:Z|([+-])(\d\d)(\d\d)))?$/.exec(text);
  if (match === null) throw new EvaluationError('no datetime');
  const [year, month, day, hour, minute, second, ms] = match.slice(1, 8).map((part) => Number(part ?? 0));
  const date = new Date(0);
  date.setUTCFullYear(year ?? 0, (month ?? 0) - 1, day ?? 0);
  const isDay = date.getUTCMonth() === (month ?? 0) - 1 && date.getUTCDate() === day;
  if (!isDay || (hour ?? 0) > 23 || (minute ?? 0) > 59 || (second ?? 0) > 59)
    throw new EvaluationError('no datetime');
  const [offsetHours, offsetMinutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (offsetHours > 23 || offsetMinutes > 59) throw new EvaluationError('no datetime');
  const offset = (offsetHours * 60 + offsetMinutes) * (match[8] === '-' ? -1 : 1);
  date.setUTCHours(hour ?? 0, (minute ?? 0) - offset, second ?? 0, ms ?? 0);
  return BigInt(date.getTime());
}

const durationUnits: readonly [RegExp, bigint][] = [
  [/^(\d+)d/, dayMs],
  [/^(\d+)h/, 3_600_000n],
  [/^(\d+)m(?!s)/, 60_000n],
  [/^(\d+)s/, 1_000n],
  [/^(\d+)ms/, 1n],
];

function durationOf(text: string): bigint {
  const sign = text.startsWith('-') ? -1n : 1n;
  let rest = text.replace(/^-/, '');
  let total = 0n;
  if (rest === '') throw new EvaluationError('no duration');
  for (const [pattern, unit] of durationUnits) {
    const found = pattern.exec(rest);
    if (found === null) continue;
    total = within64(total + sign * within64(BigInt(found[1] ?? 0) * unit));
    rest = rest.slice(found[0].length);
  }
  if (rest !== '') throw new EvaluationError('no duration');
  return total;
}

function ipOf(text: string): ValueOf<'ip'> {
  const [address = '', prefixText, more] = text.split('/');
  const v4 = v4Of(address);
  const found = v4 ?? v6Of(address);
  if (found === undefined || more !== undefined) throw new EvaluationError('no ip');
  const bits = v4 === undefined ? 128 : 32;
  if (prefixText !== undefined && !/^(?:0|[1-9]\d{0,2})$/.test(prefixText))
    throw new EvaluationError('no ip');
  const prefix = Number(prefixText ?? bits);
  if (prefix > bits) throw new EvaluationError('no ip');
  return { kind: 'ip', bits, address: found, prefix };
}

function v4Of(text: string): bigint | undefined {
  const parts = text.split('.');
  const isAddress =
    parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && +part < 256);
  return isAddress ? parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n) : undefined;
}

function v6Of(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

/** Both ends of the range an address with a prefix stands for. */
function rangeOf({ address, bits, prefix }: ValueOf<'ip'>): readonly [bigint, bigint] {
  const size = 2n ** BigInt(bits - prefix);
  const start = (address / size) * size;
  return [start, start + size - 1n];
}

export function isInRange(inner: ValueOf<'ip'>, outer: ValueOf<'ip'>): boolean {
  const [from, to] = rangeOf(inner);
  const [outerFrom, outerTo] = rangeOf(outer);
  return inner.bits === outer.bits && from >= outerFrom && to <= outerTo;
}

export function isLoopback(ip: ValueOf<'ip'>): boolean {
  return isInRange(ip, ipOf(ip.bits === 32 ? '127.0.0.0/8' : '::1'));
}

export function isMulticast(ip: ValueOf<'ip'>): boolean {
  return isInRange(ip, ipOf(ip.bits === 32 ? '224.0.0.0/4' : 'ff00::/8'));
}

/** Midnight before, also before the epoch. */
export function dateOf(instant: bigint): bigint {
  return within64(instant - timeOf(instant));
}

export function timeOf(instant: bigint): bigint {
  return ((instant % dayMs) + dayMs) % dayMs;
}
