import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { initSync, policyToJson } from '@cedar-policy/cedar-wasm/web';
import { beforeAll, describe, expect, it } from 'vitest';
import { expressionText } from './expression-text.js';

const neighbour = createRequire(import.meta.url).resolve('@cedar-policy/cedar-wasm/nodejs');
beforeAll(() => {
  initSync({ module: readFileSync(join(dirname(neighbour), '../web/cedar_wasm_bg.wasm')) });
});

const shipped = join(import.meta.dirname, '../../../../../deploy/policies');
const folders = ['platform', 'tenants/default', 'examples/acme'];
const texts = folders.flatMap((folder) =>
  readdirSync(join(shipped, folder)).map((file): [string, string] => [
    `${folder}/${file}`,
    readFileSync(join(shipped, folder, file), 'utf8'),
  ]),
);

function bodiesOf(text: string): readonly unknown[] {
  const found = policyToJson(text);
  if (found.type === 'failure') throw new Error(`${JSON.stringify(found.errors)} in ${text}`);
  return found.json.conditions.map(({ body }) => body);
}

function again(body: unknown): unknown {
  return bodiesOf(`permit (principal, action, resource) when { ${expressionText(body)} };`)[0];
}

describe('an expression as text', () => {
  it.each(texts)('means the same in %s', (_file, text) => {
    for (const body of bodiesOf(text)) expect(again(body)).toEqual(body);
  });

  it.each([
    'principal.a.b["c d"] == {"x y": [1, -2, "q\\"\\n\\u{202e}"], z: true}',
    '!(context.a && (context.b || context.c)) && -(context.n + 1) * 2 - 3 < 4',
    'context.s like "a\\*b*\\"c" || context has a.b.c || principal has "odd name"',
    'principal is UAR::User in UAR::Role::"x/\\"y" && resource in [UAR::Tool::"a", UAR::Tool::"b"]',
    'if context.a then context.b.isEmpty() else [1, 2].containsAny(context.l)',
    'ip("10.0.0.0/8").isInRange(context.env.ip) && context.d.lessThan(decimal("1.5"))',
    'context.now.toTime() >= duration("8h") && datetime("2026-01-01").offset(duration("1d")) != context.now',
    'context.args.s.hasTag("/a") && context.args.s.getTag("/a").contains("b")',
    'context.a - (context.b - context.c) + (context.d + 1) - 2 * 3 * (4 * context.e) == 0',
    'context.a && (context.b && context.c) && (context.d || (context.e || context.f) || context.g)',
    '(if context.a then 1 else 2) + 1 == 3 && (context.a == context.b) == true',
  ])('means the same in %s', (expression) => {
    const [body] = bodiesOf(`permit (principal, action, resource) when { ${expression} };`);
    expect(again(body)).toEqual(body);
  });

  it('stays flat where operators are chained', () => {
    const chain = Array.from({ length: 200 }, (_, index) => `context.a${index}`).join(' && ');
    const [body] = bodiesOf(`permit (principal, action, resource) when { ${chain} };`);
    expect(expressionText(body)).toBe(chain);
  });
});
