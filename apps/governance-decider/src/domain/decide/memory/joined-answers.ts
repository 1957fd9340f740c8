import type { RawAnswer } from '../../cedar/cedar.js';

type Decided = Extract<RawAnswer, { kind: 'decided' }>;

/**
 * The answers of a whole set, from those of its parts: one per question, where each part answered every question. Cedar
 * denies where any forbid holds, else allows where any permit does, and names those that decided it; so an answer of the
 * whole follows from answers of disjoint parts. A part without an answer leaves the whole without one.
 */
export function joined(parts: readonly (readonly RawAnswer[])[]): readonly (RawAnswer | undefined)[] {
  const [first = [], ...others] = parts;
  return first.map((answer, at) =>
    others.reduce<RawAnswer | undefined>((whole, other) => both(whole, other[at]), answer),
  );
}

function both(left: RawAnswer | undefined, right: RawAnswer | undefined): RawAnswer | undefined {
  if (left?.kind !== 'decided') return left;
  if (right?.kind !== 'decided') return right;
  const strange = [left, right].find(({ decision }) => decision !== 'allow' && decision !== 'deny');
  if (strange !== undefined) return strange;
  const errors = [...left.errors, ...right.errors];
  const forbidding = [left, right].filter(isForbidden);
  if (forbidding.length > 0) return { ...decided('deny', forbidding), errors };
  const permitting = [left, right].filter(({ decision }) => decision === 'allow');
  return { ...decided(permitting.length > 0 ? 'allow' : 'deny', permitting), errors };
}

function isForbidden({ decision, reasons }: Decided): boolean {
  return decision === 'deny' && reasons.length > 0;
}

function decided(decision: string, by: readonly Decided[]): Omit<Decided, 'errors'> {
  return { kind: 'decided', decision, reasons: by.flatMap(({ reasons }) => reasons) };
}
