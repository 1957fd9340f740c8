import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from './gateway.fixture.js';

const governance = '/api/uar/governance';
const if_version = `sha256:${'a'.repeat(64)}`;

describe('a member that cannot be taken', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.stop());

  it.each([
    ['POST', `${governance}/explain`, { tool: 'srv__echo', at: '0000-01-01T00:00:00Z' }, '/at'],
    ['POST', `${governance}/explain`, { tool: 'srv__echo', at: '1969-12-31T23:59:59.999Z' }, '/at'],
    ['POST', `${governance}/replay`, { policies: {}, since: '0001-01-01T00:00:00Z' }, '/since'],
    ['POST', `${governance}/proposals`, { policies: {}, if_version, note: 'a\u001b[2Jb' }, '/note'],
    ['POST', `${governance}/proposals`, { policies: {}, if_version, note: 'a\u0000' }, '/note'],
    ['PUT', '/api/uar/settings/tenant', { suspended: { users: ['ada', 'b\u0007'] } }, '/suspended/users/1'],
    ['PUT', '/api/uar/settings/tenant', { suspended: { agents: ['a\nb'] } }, '/suspended/agents/0'],
  ])('is named with 400: %s %s %j', async (method, path, body, pointer) => {
    const answer = await gateway.ask(method, path, { body });
    expect([answer.status, answer.body['error']?.['code']]).toEqual([400, 'bad_request']);
    expect(answer.body['error']?.['details']).toEqual({
      issues: [{ path: pointer, message: expect.stringMatching(/^must /) }],
    });
    expect(gateway.neighbours.receipts).toEqual([]);
  });
});
