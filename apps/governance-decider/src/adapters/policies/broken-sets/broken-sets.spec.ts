import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SoundPolicies, checkCandidate, type Candidate } from '../../../domain/policy/check/candidate.js';
import type { PolicyProblem } from '../../../domain/policy/lint/problem.js';
import type { ToolSchema } from '../../../domain/policy/lint/tool-schema.js';
import { CedarEngine, compileCedar } from '../../cedar/engine.js';
import { shippedFolder } from '../../cedar/questions.fixture.js';
import { PolicyFiles } from '../policy-folder.js';
import { readPolicies } from '../policy-texts.js';
import { someTools } from '../../catalog/some-tools.fixture.js';
import type { BrokenPolicy } from './broken-policy.fixture.js';
import { deadPointers } from './dead-pointers.fixture.js';
import { misspelled } from './misspelled.fixture.js';
import { forbidden, senseless, unreadable } from './unsound.fixture.js';

const read = await new PolicyFiles(shippedFolder).read();
if (read.kind === 'unreadable') throw new Error(read.problem);
const { schema, platform } = read.source;
const sound = new SoundPolicies();

let engine: CedarEngine;
beforeAll(async () => {
  engine = await CedarEngine.start(await compileCedar());
});
afterAll(() => engine.stop());

async function check(
  policies: Readonly<Record<string, string>>,
  { schemas, by = schema }: { schemas?: readonly ToolSchema[]; by?: string } = {},
): Promise<Candidate> {
  const tried = await engine.rehearse((laboratory) =>
    checkCandidate({ schema: by, policies }, laboratory, { sound, schemas }),
  );
  if (tried.kind === 'failed') throw new Error(tried.message);
  return tried.value;
}

const problemsOf = (found: Candidate): readonly PolicyProblem[] =>
  found.kind === 'unsound' ? found.problems : [];

const withPlatform = (text: string) => ({ ...platform, 't/x': text });

/** Where `§` stands. */
function placeIn(marked: string): { line: number; column: number } {
  const before = marked.slice(0, marked.indexOf('§'));
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}

async function isRefused({ text, says, meant }: BrokenPolicy): Promise<void> {
  const found = await check(withPlatform(text.replace('§', '')), { schemas: someTools });
  expect(problemsOf(found)).toEqual([
    {
      ...{ policy: 't/x', severity: 'error', message: expect.stringContaining(says), ...placeIn(text) },
      ...(meant === undefined ? {} : { suggestion: meant }),
    },
  ]);
}

describe('a set is refused, at the place, with what was meant, for a misspelled name:', () => {
  it.each(misspelled)('$name', isRefused);
});

describe('a set is refused, at the place, for a text that is no policy:', () => {
  it.each(unreadable)('$name', isRefused);
});

describe('a set is refused, at the place, for what Cedar finds no sense in:', () => {
  it.each(senseless)('$name', isRefused);
});

describe('a set is refused, at the place, for what a tenant may not write:', () => {
  it.each(forbidden)('$name', isRefused);
});

describe('a set is refused, at the place, for a pointer that no argument has:', () => {
  it.each(deadPointers)('$name', isRefused);
});

describe('a set is refused as a whole', () => {
  const without = (id: string) => Object.fromEntries(Object.entries(platform).filter(([one]) => one !== id));

  it.each(Object.keys(platform))('without the guard %s', async (guard) => {
    expect(problemsOf(await check(without(guard)))).toEqual([
      { policy: guard, severity: 'error', message: 'a guard of the platform is missing' },
    ]);
  });

  it('for a guard under a misspelled name, which it names', async () => {
    const text = platform['p/kill-switch'] ?? '';
    const renamed = { ...without('p/kill-switch'), 'p/kil-switch': text.replace('kill-', 'kil-') };
    expect(problemsOf(await check(renamed))).toEqual([
      {
        ...{ policy: 'p/kill-switch', severity: 'error', suggestion: 'p/kill-switch' },
        message: 'a guard of the platform is missing; p/kil-switch is there',
      },
    ]);
  });

  it('for a file name that is no id', async () => {
    const found = await check({ ...platform, 't/No Time': 'permit (' });
    expect(problemsOf(found)).toMatchObject([{ policy: 't/No Time', suggestion: 't/no-time' }]);
  });

  it('for a permit of the platform', async () => {
    const text = 'permit (principal, action == UAR::Action::"callTool", resource);';
    const found = await check({ ...platform, 'p/extra': text });
    expect(problemsOf(found)).toMatchObject([{ policy: 'p/extra', line: 1, column: 1 }]);
  });

  it.each([
    ['that ends too early', 'namespace UAR {\n  entity A = { "a": Long };', { line: 2 }],
    [
      'with a type that is not there',
      'namespace UAR {\n  entity A = { "a": Lnog };\n}',
      { line: 2, column: 21 },
    ],
  ])('for a schema %s', async (_what, by, place) => {
    const [problem, ...more] = problemsOf(await check(platform, { by }));
    expect(problem).toMatchObject({
      severity: 'error',
      message: expect.stringMatching(/^schema: /),
      ...place,
    });
    expect(problem?.policy).toBeUndefined();
    expect(more).toEqual([]);
  });

  it('with every problem of every policy, the sound ones among them left alone', async () => {
    const found = await check({
      ...without('p/pinned'),
      't/a': 'permit (principal, action, resource);',
      't/b': 'permitt (principal, action, resource);',
      't/c':
        'permit (principal, action == UAR::Action::"callTool", resource) when { resource.riskTeir < 1 };',
      't/d': `permit (principal, action == UAR::Action::"use", resource) when { ${'('.repeat(99)} };`,
      't/e': 'forbid (principal, action == UAR::Action::"callTool", resource);',
    });
    const policies = problemsOf(found).map(({ policy }) => policy);
    expect(policies.toSorted()).toEqual(['p/pinned', 't/a', 't/b', 't/c', 't/d']);
  });

  it('counts columns in UTF-16 units, whatever stands before', async () => {
    const text =
      '// \u00fc \u65e5 \u{1f600}\npermit (principal, action == UAR::Action::"use", resource)\nwhen { "\u{1f600}" == "\u65e5" || §principle.mfa };';
    const found = await check(withPlatform(text.replace('§', '')));
    expect(problemsOf(found)).toMatchObject([placeIn(text)]);
  });
});

describe('a sound set is warned of', () => {
  const warningsOf = async (text: string, schemas?: readonly ToolSchema[]) => {
    const found = await check(withPlatform(text.replace('§', '')), schemas === undefined ? {} : { schemas });
    expect(problemsOf(found)).toEqual([]);
    return found.warnings;
  };
  const forbid = (resource: string, condition: string) =>
    `forbid (principal, action in UAR::Action::"invoke", ${resource})\n${condition};`;

  it('an argument that an open schema may have', async () => {
    const text = forbid('resource', 'unless { context.args.s.hasTag(§"/pathh") }');
    expect(await warningsOf(text, someTools)).toEqual([
      {
        ...{ policy: 't/x', severity: 'warning', suggestion: '/path', ...placeIn(text) },
        message: expect.stringContaining(
          "1 of 5 tools in the policy's scope have an open schema, as acme/web/get",
        ),
      },
    ]);
  });

  it('an argument of a tool that is not there yet, and the name of the tool', async () => {
    const text = forbid(
      'resource == §UAR::Tool::"acme/fs/raed"',
      'unless { context.args.s.hasTag("/path") }',
    );
    expect(await warningsOf(text, someTools)).toMatchObject([
      { ...placeIn(text), severity: 'warning', suggestion: 'acme/fs/read' },
      { message: expect.stringContaining("no tool is in the policy's scope") },
    ]);
  });

  it.each([
    ['server', 'resource in §UAR::Server::"acme/fss"', 'acme/fs'],
    ['family', 'resource in §UAR::Family::"native.files"', 'native.file'],
    ['label', 'resource in §UAR::Label::"finanse"', 'finance'],
  ])('a %s that no tool has', async (_kind, resource, suggestion) => {
    const text = forbid(resource, 'unless { principal.suspended }');
    expect(await warningsOf(text, someTools)).toMatchObject([{ ...placeIn(text), suggestion }]);
  });

  it('nothing of the catalog while that is not known', async () => {
    const text = forbid('resource in UAR::Server::"acme/fss"', 'unless { context.args.s.hasTag("/pth") }');
    expect(await warningsOf(text)).toEqual([]);
  });

  it('a forbid that a missing argument dodges, with what mends it', async () => {
    const text = forbid(
      'resource',
      'when { context.args.s.hasTag(§"/path") && context.args.s.getTag("/path") like "/etc/*" }',
    );
    expect(await warningsOf(text)).toMatchObject([
      { ...placeIn(text), severity: 'warning', suggestion: 'unless { context.args.s.hasTag("/path") }' },
    ]);
  });

  it('nothing in the examples, whose forbid has its guard', async () => {
    const acme = await readPolicies(`${shippedFolder}/examples/acme`, 't');
    const found = await check({ ...platform, ...acme });
    expect(found).toMatchObject({ kind: 'sound', warnings: [] });
  });
});
