import { proposePolicies } from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until } from '../http-spec/gateway.fixture.js';

describe('a gateway with a rate', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    const rates = [
      { name: 'echoes', per: 'principal', calls: 2, window_seconds: 6, match: { tools: ['srv__e*'] } },
    ];
    gateway = await Gateway.start({ limits: { rates } });
  });
  afterEach(() => gateway.stop());

  it('answers 429 with how long to wait, runs nothing then, and lets pass whoever waited that long', async () => {
    const first = await Promise.all(Array.from({ length: 10 }, () => gateway.execute('srv__echo')));
    const limited = first.filter(({ status }) => status === 429);
    expect(first.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(limited).toHaveLength(8);
    expect(limited[0]?.body).toMatchObject({
      ...{ outcome: 'rate_limited', effect: 'did_not_run', success: false, decision: null, approval: null },
      error: { code: 'rate_limited', details: { retry_after_ms: expect.any(Number) } },
    });
    expect(gateway.neighbours.calls).toHaveLength(2);
    const waits = limited.map(({ headers }) => Number(headers.get('retry-after')));
    expect(waits.every((seconds) => seconds >= 1 && seconds <= 3)).toBe(true);
    const readyAt = Date.now() + Math.max(...waits) * 1_000;
    await until(() => Date.now() >= readyAt);
    expect((await gateway.execute('srv__echo')).status).toBe(200);
  });

  it('leaves other tools and other principals alone', async () => {
    await Promise.all(Array.from({ length: 5 }, () => gateway.execute('srv__echo')));
    expect((await gateway.execute('srv__write')).status).toBe(200);
    const token = gateway.token('bob');
    const bobs = await gateway.ask('POST', '/api/tools/srv__echo/execute', { body: {}, token });
    expect(bobs.status).toBe(200);
  });

  it('leaves one receipt for all that was refused within a minute', async () => {
    await Promise.all(Array.from({ length: 10 }, () => gateway.execute('srv__echo')));
    await gateway.running.stop();
    const limited = gateway.neighbours.receipts.filter(({ outcome }) => outcome === 'rate_limited');
    expect(limited).toMatchObject([{ principal: 'User::"default/ada"', cause: '8 calls within a minute' }]);
  });
});

describe('a burst of policies', () => {
  it('waits its turn, and what is more than may wait is 429 with how long to wait; the decider never sees it', async () => {
    const gateway = await Gateway.start();
    const pdp = gateway.neighbours.hub.connect({
      service: 'governance-decider',
      log: createLog({ service: 'gateway', level: 'silent' }),
    });
    const held: (() => void)[] = [];
    let [isOpen, asked] = [false, 0];
    pdp.answer(proposePolicies, async () => {
      asked += 1;
      if (!isOpen) await new Promise<void>((resolve) => held.push(resolve));
      return { kind: 'full', message: '50 proposals wait already' };
    });
    const body = { policies: {}, if_version: `sha256:${'a'.repeat(64)}` };
    const burst = Array.from({ length: 150 }, () =>
      gateway.ask('POST', '/api/uar/governance/proposals', { body }),
    );
    const answered: number[] = [];
    for (const each of burst) void each.then(({ status }) => answered.push(status));
    await until(() => held.length === 4 && answered.length === 150 - 36);
    isOpen = true;
    for (const release of held) release();
    const answers = await Promise.all(burst);
    const refused = answers.filter(({ status }) => status === 429);
    expect([refused.length, asked]).toEqual([150 - 36, 36]);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(36);
    for (const { headers, body: told } of refused) {
      expect(told['error']?.['code']).toBe('rate_limited');
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    await pdp.close();
    await gateway.stop();
  });
});
