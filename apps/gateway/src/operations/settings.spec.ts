import { mintDevToken } from '@uar/identity';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until } from '../http-spec/gateway.fixture.js';
import { oneHuman } from '../http-spec/neighbours.fixture.js';

const tenantPath = '/api/uar/settings/tenant';
const nativePath = '/api/uar/settings/native-tools';

describe('the settings routes', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    gateway = await Gateway.start({ tenants: { default: { max_unattended_risk: 2 } } });
  });
  afterEach(() => gateway.stop());

  const put = (path: string, body: object) => gateway.ask('PUT', path, { body });

  it('show what the file says, then what was set, each write with its admin receipt', async () => {
    const file = await gateway.ask('GET', tenantPath);
    expect(file.body).toEqual({
      ...{ kill_switch: false, max_unattended_risk: 2 },
      ...{ approval_needs_mfa: false, approval_needs_interactive: false },
      suspended: { users: [], agents: [] },
      drift: false,
    });
    const answer = await put(tenantPath, { kill_switch: true });
    expect([answer.status, answer.body]).toEqual([200, { ...file.body, kill_switch: true }]);
    expect((await gateway.ask('GET', tenantPath)).body).toEqual(answer.body);
    expect(gateway.neighbours.receipts).toMatchObject([
      {
        kind: 'admin',
        action: 'settings.put tenant kill_switch=true',
        principal: 'User::"default/ada"',
        tenant: 'default',
      },
    ]);
  });

  it('refuse what they do not know, and values out of bounds', async () => {
    const bodies = [
      { kill: true },
      { max_unattended_risk: 5 },
      { suspended: { roles: [] } },
      { drift: true },
    ];
    for (const body of bodies) expect((await put(tenantPath, body)).status).toBe(400);
    expect((await put(nativePath, { file_allowed_paths: ['relative'] })).status).toBe(400);
    expect(gateway.neighbours.receipts).toEqual([]);
  });

  it('are for holders of manageSettings alone', async () => {
    gateway.neighbours.may = (question) =>
      !(question.kind === 'admin' && question.action === 'manageSettings');
    for (const path of [tenantPath, nativePath]) {
      expect((await gateway.ask('GET', path)).status).toBe(403);
      expect((await put(path, {})).status).toBe(403);
    }
  });

  it('show and set native tools for the operator alone', async () => {
    const answer = await put(nativePath, { file_tools_enabled: true, file_allowed_paths: ['/srv/work'] });
    expect(answer.body).toMatchObject({
      ...{ file_tools_enabled: true, file_allowed_paths: ['/srv/work'], file_write_max_kb: 512 },
      ...{ web_fetch_enabled: false, memory_enabled: false, drift: false },
    });
    const token = mintDevToken({
      ...{ secret: 'a-secret-of-more-than-thirty-two-bytes', sub: 'eve', name: 'eve', roles: ['admin'] },
      ...{ groups: [], tenant: 'acme', ttlSeconds: 60 },
    });
    expect((await gateway.ask('GET', nativePath, { token })).status).toBe(403);
    expect((await gateway.ask('PUT', nativePath, { token, body: {} })).status).toBe(403);
  });

  it('refuse a switch that turns nothing on, and change nothing then', async () => {
    const answer = await put(nativePath, { file_tools_enabled: true, terminal_exec_enabled: true });
    expect([answer.status, answer.body['error']]).toMatchObject([
      422,
      { code: 'not_available', details: { members: ['terminal_exec_enabled'] } },
    ]);
    expect((await gateway.ask('GET', nativePath)).body).toMatchObject({ file_tools_enabled: false });
  });

  it('are unavailable while the ledger is away', async () => {
    await gateway.neighbours.stopLedger();
    expect((await gateway.ask('GET', tenantPath)).status).toBe(503);
    expect((await put(tenantPath, { kill_switch: true })).status).toBe(503);
  });

  it('end the call of a suspended user that waits for a human', async () => {
    gateway.neighbours.decide = oneHuman;
    const waiting = gateway.execute('srv__write');
    await until(() => gateway.neighbours.records.size === 1);
    await put(tenantPath, { suspended: { users: ['ada'] } });
    const { status, body } = await waiting;
    expect([status, body['outcome'], body['effect']]).toEqual([403, 'policy_denied', 'did_not_run']);
    expect([...gateway.neighbours.records.values()].map((record) => record.status)).toEqual(['cancelled']);
    expect(gateway.neighbours.calls).toEqual([]);
  });
});
