import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { initSync, policyToJson } from '@cedar-policy/cedar-wasm/web';
import { beforeAll, expect, it } from 'vitest';
import { PolicyJson } from '../policy/policy-json.js';
import { clausesOf } from './clauses.js';

const neighbour = createRequire(import.meta.url).resolve('@cedar-policy/cedar-wasm/nodejs');
beforeAll(() => {
  initSync({ module: readFileSync(join(dirname(neighbour), '../web/cedar_wasm_bg.wasm')) });
});

function clauses(condition: string) {
  const text = `permit (principal, action, resource) when { ${condition} };`;
  const found = policyToJson(text);
  if (found.type === 'failure') throw new Error(JSON.stringify(found.errors));
  return clausesOf(PolicyJson.parse(found.json), text).map((clause) => [clause.text, clause.isExact]);
}

it.each([
  ['context.n == 9007199254740993', 'context.n == 9007199254740993'],
  ['context.n > -9223372036854775807', 'context.n > (-9223372036854775807)'],
  ['context.l.contains(9007199254740993)', 'context.l.contains(9007199254740993)'],
  ['context.s == "9007199254740992" || context.n == 9007199254740993', undefined],
])('shows the number that was written: %s', (written, shown) => {
  const [clause] = clauses(written);
  expect(clause?.[1]).toBe(true);
  if (shown === undefined) expect(clause?.[0]).toContain('9007199254740993');
  else expect(clause?.[0]).toBe(shown);
});

it('says that a number is approximate where the text leaves two', () => {
  expect(clauses('context.n == 9007199254740993 && context.m == 9007199254740992')).toEqual([
    ['context.n == ≈9007199254740992', false],
    ['context.m == ≈9007199254740992', false],
  ]);
});

it('leaves what JSON keeps as it is', () => {
  expect(clauses('context.n == 9007199254740991')).toEqual([['context.n == 9007199254740991', true]]);
});
