import { RE2JS } from 're2js';
import type { Budget } from './budget.js';

interface Pattern {
  test(text: string): boolean;
}

/** Regular expressions of upstreams, run by re2js in linear time, never by the engine of the platform. */
export function patternsWithin(budget: Budget): { (pattern: string, flags: string): Pattern; code: string } {
  const compile = (pattern: string): Pattern => {
    const compiled = compiledPattern(pattern);
    // A pattern that re2js cannot read (look-around, back-references) is not checked here; the tool checks it itself.
    if (compiled === undefined) return { test: () => true };
    const size = compiled.programSize();
    return {
      test: (text) => {
        budget.spendPattern((text.length + 1) * size);
        return compiled.matcher(text).find();
      },
    };
  };
  return Object.assign(compile, { code: 'uarPattern' });
}

function compiledPattern(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch {
    return undefined;
  }
}
