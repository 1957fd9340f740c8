import { ServerConfig } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { readDefinition } from './definition/definition.js';
import { resolveTaskSupport } from './facts.js';

describe('resolveTaskSupport', () => {
  const supportOf = (execution: unknown, overrides: object): string | undefined => {
    const read = readDefinition(JSON.stringify({ name: 'tool', execution }));
    const config = ServerConfig.parse({ transport: 'stdio', command: 'x', tools: { overrides } });
    return read.kind === 'unreadable'
      ? 'unreadable'
      : resolveTaskSupport({ config, definition: read.definition });
  };

  it.each<[unknown, object, string | undefined]>([
    [undefined, {}, undefined],
    [{ taskSupport: 'optional' }, {}, 'optional'],
    [{ taskSupport: 'required' }, {}, 'required'],
    [{ taskSupport: 'forbidden' }, {}, undefined],
    [{ taskSupport: ['required'] }, {}, undefined],
    ['required', {}, undefined],
    [undefined, { tool: { task: true } }, 'optional'],
    [{ taskSupport: 'required' }, { tool: { task: true } }, 'required'],
    [{ taskSupport: 'required' }, { '*': { task: true }, tool: { task: false } }, undefined],
    [undefined, { other: { task: true } }, undefined],
  ])('of a tool that says %j under %j is %s', (execution, overrides, support) => {
    expect(supportOf(execution, overrides)).toBe(support);
  });
});
