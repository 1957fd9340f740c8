import { construct, dateOf, isInRange, isLoopback, isMulticast, timeOf } from './extensions.fixture.js';
import { EvaluationError, bool, expectKind, within64, type Value } from './values.fixture.js';

const constructors = ['decimal', 'datetime', 'duration', 'ip'];

const orders: Readonly<Record<string, (left: bigint, right: bigint) => boolean>> = {
  lessThan: (left, right) => left < right,
  lessThanOrEqual: (left, right) => left <= right,
  greaterThan: (left, right) => left > right,
  greaterThanOrEqual: (left, right) => left >= right,
};

const unitsMs: Readonly<Record<string, bigint>> = {
  toMilliseconds: 1n,
  toSeconds: 1_000n,
  toMinutes: 60_000n,
  toHours: 3_600_000n,
  toDays: 86_400_000n,
};

const ofDatetimes = ['offset', 'durationSince', 'toDate', 'toTime'];
const ofAddresses = ['isIpv4', 'isIpv6', 'isLoopback', 'isMulticast', 'isInRange'];
const names = new Set([
  ...[...constructors, ...ofDatetimes, ...ofAddresses],
  ...[...Object.keys(orders), ...Object.keys(unitsMs)],
]);

export function isExtension(name: string): boolean {
  return names.has(name);
}

export function callExtension(name: string, [first, second]: readonly Value[]): Value {
  if (first === undefined) throw new EvaluationError(`${name} of nothing`);
  if (constructors.includes(name)) return constructed(name, first);
  const order = orders[name];
  if (order !== undefined)
    return bool(order(expectKind(first, 'decimal').is, expectKind(needed(second), 'decimal').is));
  const unit = unitsMs[name];
  if (unit !== undefined) return { kind: 'long', is: expectKind(first, 'duration').is / unit };
  return ofDatetimes.includes(name) ? ofDatetime(name, first, second) : ofAddress(name, first, second);
}

function constructed(name: string, text: Value): Value {
  const value = construct(name, expectKind(text, 'string').is);
  if (value === undefined) throw new EvaluationError(`no constructor ${name}`);
  return value;
}

function ofDatetime(name: string, value: Value, other: Value | undefined): Value {
  const { is } = expectKind(value, 'datetime');
  switch (name) {
    case 'offset':
      return { kind: 'datetime', is: within64(is + expectKind(needed(other), 'duration').is) };
    case 'durationSince':
      return { kind: 'duration', is: within64(is - expectKind(needed(other), 'datetime').is) };
    case 'toDate':
      return { kind: 'datetime', is: dateOf(is) };
  }
  return { kind: 'duration', is: timeOf(is) };
}

function ofAddress(name: string, value: Value, other: Value | undefined): Value {
  const ip = expectKind(value, 'ip');
  switch (name) {
    case 'isIpv4':
      return bool(ip.bits === 32);
    case 'isIpv6':
      return bool(ip.bits === 128);
    case 'isLoopback':
      return bool(isLoopback(ip));
    case 'isMulticast':
      return bool(isMulticast(ip));
  }
  return bool(isInRange(ip, expectKind(needed(other), 'ip')));
}

function needed(value: Value | undefined): Value {
  if (value === undefined) throw new EvaluationError('an argument is missing');
  return value;
}
