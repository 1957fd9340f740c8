import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until } from './gateway.fixture.js';

describe('a gateway with a rate', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    const rates = [
      { name: 'echoes', per: 'principal', calls: 2, window_seconds: 1, match: { tools: ['srv__e*'] } },
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
    expect(waits.every((seconds) => seconds === 1)).toBe(true);
    const readyAt = Date.now() + 1_000;
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
