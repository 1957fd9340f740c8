import { expect, it } from 'vitest';
import { entry } from '../../domain/call-spec/entry.fixture.js';
import { Gateway, until } from '../../http-spec/gateway.fixture.js';
import { decided } from '../../http-spec/neighbours.fixture.js';
import { StatelessClient } from './stateless-client.fixture.js';

it('repeats arguments in headers where the tool asks for it, and tells nothing of hidden tools', async () => {
  const gateway = await Gateway.start();
  const region = { type: 'string', 'x-mcp-header': 'Region' };
  const schema = {
    type: 'object',
    properties: {
      region,
      in: { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } },
    },
  };
  const broken = { type: 'object', properties: { a: region, b: { ...region, 'x-mcp-header': 'region' } } };
  gateway.neighbours.discovers = ({ raw_name }) => raw_name !== 'hidden';
  gateway.neighbours.decide = ({ question: { tool }, target }) =>
    tool.raw_name === 'hidden'
      ? { kind: 'deny', ...decided, outcome: 'unknown_tool', cause: 'not_discoverable' }
      : { kind: 'allow', ...decided, ...(target !== undefined && { grant: 'grant' }) };
  gateway.neighbours.catalogChanged([
    entry('route', {}, schema),
    entry('hidden', {}, schema),
    entry('broken', {}, broken),
  ]);
  const client = new StatelessClient(gateway);
  await until(async () => (await client.request('tools/list')).text.includes('srv__route'));
  const sent = async (name: string, args: object, headers: Record<string, string>) => {
    const { status, messages } = await client.call(name, args, {}, { headers });
    return [status, messages[0]?.['error']?.['code']];
  };
  const base64 = `=?base64?${Buffer.from('zürich').toString('base64')}?=`;
  const args = { region: 'eu', in: { n: 4 } };
  expect(await sent('srv__route', args, { 'mcp-param-region': 'eu', 'mcp-param-n': '4.0' })).toEqual([
    200,
    undefined,
  ]);
  expect(await sent('srv__route', args, { 'mcp-param-region': 'us', 'mcp-param-n': '4' })).toEqual([
    400, -32020,
  ]);
  expect(await sent('srv__route', args, { 'mcp-param-region': 'eu' })).toEqual([400, -32020]);
  expect(await sent('srv__route', { region: 'zürich' }, { 'mcp-param-region': base64 })).toEqual([
    200,
    undefined,
  ]);
  expect(await sent('srv__route', { region: 'x' }, { 'mcp-param-region': '=?base64?e!?=' })).toEqual([
    400, -32020,
  ]);
  expect(await sent('srv__route', {}, { 'mcp-param-region': 'eu' })).toEqual([200, undefined]);
  expect(await sent('srv__broken', { a: 'x' }, {})).toEqual([200, undefined]);
  expect(await sent('srv__hidden', args, {})).toEqual([200, -32602]);
  expect(gateway.neighbours.calls.length).toBe(4);
  await gateway.stop();
});
