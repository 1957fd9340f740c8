import { memberText } from '@uar/json-text';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { principals } from '../contract-spec/gateway.fixture.js';
import { ModernWorld } from './modern.fixture.js';

const { alice } = principals;

describe.each(['http', 'stdio'] as const)('a server that speaks MCP 2026-07-28 alone, over %s', (over) => {
  let modern: ModernWorld;
  beforeAll(async () => {
    modern = await ModernWorld.start(over);
  });
  afterAll(() => modern.stop());

  it('is listed, and called with what each request has to say of itself', async () => {
    const { world, gateway } = modern;
    expect((await world.list('shared')).definitions.length).toBe(12);
    const said = JSON.parse(await world.textOf('shared', 'said')) as { envelope: object; meta: object };
    expect(said.envelope).toEqual({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'uar', version: '0.1.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    });
    const seat = gateway.seat('s', { roots: {}, elicitation: { url: {} } }, { log_level: 'error' });
    const seated = JSON.parse(await world.textOf('own', 'said', {}, { principal: alice, seat })) as object;
    expect(seated).toMatchObject({
      envelope: {
        'io.modelcontextprotocol/clientCapabilities': { roots: {}, elicitation: { url: {} } },
        'io.modelcontextprotocol/logLevel': 'error',
      },
    });
  });

  it('gives results, errors of its tools, and errors of its own as they are', async () => {
    const { world } = modern;
    const counted = await world.run('shared', 'count', { args: { id: 'one' } });
    expect(counted).toMatchObject({ kind: 'ran', is_error: false });
    if (counted.kind === 'ran') expect(memberText(counted.result_json, 'resultType')).toBe('"complete"');
    expect(modern.ran).toEqual(['one']);
    expect(await world.run('shared', 'fail')).toMatchObject({ kind: 'ran', is_error: true });
    expect(await world.run('shared', 'count', { args: { id: 7 } })).toMatchObject({ is_error: true });
  });
});
