import { TenantId } from '@uar/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from '../http-spec/gateway.fixture.js';

const [acme, beta] = [TenantId.parse('acme'), TenantId.parse('beta')];
const loaded = { version: 'v1', loaded: true, policies: 3 };
const broken = { version: 'none', loaded: false, policies: 0, problem: 't/secret-plan:1:3 is no policy' };

describe('readiness', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.stop());

  async function told() {
    const open = await gateway.ask('GET', '/readyz', { token: null });
    const managed = await fetch(`${gateway.management}/readyz`);
    return { open, managed: { status: managed.status, text: await managed.text() } };
  }

  it.each([
    [
      'a first set that is broken',
      [
        { tenant: acme, ...broken },
        { tenant: beta, ...loaded },
      ],
      {},
      'tenant_policies_missing',
    ],
    [
      'a newer set that was refused',
      [{ tenant: acme, ...loaded, problem: broken.problem }],
      {},
      'tenant_policies_refused',
    ],
    [
      'settings that cannot be read',
      [{ tenant: acme, ...loaded }],
      { of_tenants: [{ tenant: acme, problem: 'the settings of acme in secret-plan' }] },
      'tenant_settings_unreadable',
    ],
  ])(
    'stays with %s of one tenant, and names it on the management port alone',
    async (_what, sets, more, code) => {
      gateway.neighbours.governance = { governance: 'on', sets, ...more };
      const { open, managed } = await told();
      expect([open.status, open.body]).toEqual([200, { ready: true, governance: 'on', problems: [code] }]);
      expect([managed.status, /acme/.test(managed.text), /secret-plan/.test(managed.text)]).toEqual([
        200,
        true,
        true,
      ]);
      expect((await gateway.execute('srv__echo')).status).toBe(200);
    },
  );

  it('is lost where no tenant has a set, and where nothing at all is decided', async () => {
    gateway.neighbours.governance = {
      governance: 'on',
      sets: [
        { tenant: acme, ...broken },
        { tenant: beta, ...broken },
      ],
    };
    const none = await told();
    expect([none.open.status, none.open.body]).toEqual([
      503,
      { ready: false, governance: 'on', problems: ['no_policies_loaded'] },
    ]);
    expect([none.managed.status, none.managed.text.match(/secret-plan/g)?.length]).toEqual([503, 2]);
    gateway.neighbours.governance = {
      governance: 'on',
      sets: [{ tenant: acme, ...loaded }],
      problems: ['the agents were not read yet'],
    };
    const undecided = await told();
    expect([undecided.open.status, undecided.open.body]).toMatchObject([
      503,
      { problems: ['decider_not_deciding'] },
    ]);
    await gateway.neighbours.stopPdp();
    expect((await told()).open.body).toMatchObject({ ready: false, problems: ['decider_unreachable'] });
  });
});
