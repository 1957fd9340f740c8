import { describe, expect, it } from 'vitest';
import { textProblem } from './text-guard.js';

const policy = (condition: string) => `permit (principal, action, resource) when { ${condition} };`;

describe('the guard before the parser', () => {
  it('lets ordinary policies pass', () => {
    expect(textProblem(policy('[1, 2, 3].contains(resource.riskTier) && (true || false)'))).toBeUndefined();
    expect(textProblem(policy(`context.env.runId like "${'('.repeat(500)}"`))).toBeUndefined();
    expect(textProblem(`// ${'('.repeat(500)}\n${policy('true')}`)).toBeUndefined();
  });

  it.each([
    ['parentheses', policy(`${'('.repeat(41)}1${')'.repeat(41)}`)],
    ['sets', policy(`${'['.repeat(41)}1${']'.repeat(41)}`)],
    [
      'nesting after a string with a quote in it',
      policy(`"\\"" == "" && ${'('.repeat(41)}1${')'.repeat(41)}`),
    ],
    ['nesting after a slash in a string', policy(`"//" == "" && ${'('.repeat(41)}1${')'.repeat(41)}`)],
    ['a chain of and', policy(Array.from({ length: 400 }, () => 'true').join('&&'))],
    ['a chain of members', policy(`principal${'.tenant'.repeat(400)}`)],
    ['branches', policy(`${'if true then true else '.repeat(41)}true`)],
    ['length', policy(`"${'x'.repeat(70_000)}"`)],
  ])('refuses too much of %s', (_what, text) => {
    expect(textProblem(text)).toBeDefined();
  });
});
