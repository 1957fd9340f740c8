import { rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CedarEngine, compileCedar } from '../cedar/engine.js';
import { LoadedFolder } from './loaded-folder.fixture.js';

const forbid = (condition: string) =>
  `forbid (principal, action == UAR::Action::"callTool", resource) when { ${condition} };`;

describe('a policy with a fault', () => {
  let engine: CedarEngine;
  let home: LoadedFolder;
  beforeAll(async () => {
    engine = await CedarEngine.start(await compileCedar());
    home = await LoadedFolder.open(engine);
  });
  afterAll(async () => {
    await home.close();
    await engine.stop();
  });

  it.each([
    ['is no Cedar', 'permit (principal', 'unexpected'],
    ['misspells an attribute', forbid('resource.readOnyl'), 'readOnyl'],
    ['misspells a context member', forbid('context.facts.pathRoot.contains("/etc")'), 'pathRoot'],
    ['misspells an action', 'forbid (principal, action == UAR::Action::"callTol", resource);', 'callTol'],
    ['misspells a profile', forbid('context.env.profile == UAR::Profile::"minimum"'), 'minimum'],
    ['compares two types', forbid('resource.riskTier == "4"'), 'equal'],
    ['can never apply', forbid('false'), 'impossible'],
    ['permits without naming actions', 'permit (principal, action, resource);', 'names its actions'],
    [
      'permits the release',
      'permit (principal, action == UAR::Action::"callToolApproved", resource);',
      'may not permit',
    ],
    [
      'permits all of invoke',
      'permit (principal, action in UAR::Action::"invoke", resource);',
      'may not permit',
    ],
    [
      'permits invoke in a list',
      'permit (principal, action in [UAR::Action::"use", UAR::Action::"invoke"], resource);',
      'may not permit',
    ],
    ['carries an unknown annotation', '@severity("high") forbid (principal, action, resource);', '@severity'],
    ['carries the id of another', '@id("t/else") forbid (principal, action, resource);', 'differs'],
    ['asks for unknown()', forbid('unknown("x")'), 'unknown()'],
    [
      'is a template',
      'permit (principal == ?principal, action == UAR::Action::"use", resource);',
      'template',
    ],
    [
      'holds two rules',
      'forbid (principal, action, resource); forbid (principal, action, resource);',
      'unexpected',
    ],
    ['holds nothing', '// nothing', 'unexpected end'],
    ['is nested too deep', forbid(`${'('.repeat(300)}true${')'.repeat(300)}`), 'nested deeper'],
    ['is a chain without end', forbid(Array.from({ length: 5_000 }, () => 'true').join(' && ')), 'operators'],
    ['is too long', forbid(`context.env.runId == "${'x'.repeat(70_000)}"`), 'longer'],
  ])('is refused, and the old one stays: it %s', async (_what, text, problem) => {
    const version = await home.load();
    await writeFile(home.own('new.cedar'), text);
    await home.sets.reload();
    expect(home.statusOf('default')).toMatchObject({
      loaded: true,
      version,
      problem: expect.stringContaining('t/new'),
    });
    expect(home.statusOf('default')?.problem).toContain(problem);
    expect(home.sets.of('default')?.version).toBe(version);
    await rm(home.own('new.cedar'));
    expect(await home.load()).toBe(version);
  });
});
