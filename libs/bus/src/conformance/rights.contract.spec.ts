import {
  approvalSettled,
  catalogBeat,
  exchange,
  hosts,
  readLedgerStatus,
  readWantedServers,
  type ServiceName,
} from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Bus } from '../bus.js';
import { recordedLog } from './recorded-log.fixture.js';
import { approvalId, callId, tenant } from './values.fixture.js';

const { log, lines } = recordedLog();
const foreign = exchange({
  subject: 'uar.v1.foreign.thing.do',
  ask: z.strictObject({}),
  answer: z.strictObject({}),
  deadlineMs: 100,
});

withBothBuses('rights', (connect) => {
  let asked = 0;

  const fresh = (service: ServiceName): Promise<Bus> => connect(service, { log });

  beforeAll(async () => {
    const ledger = await connect('approval-service', { log });
    ledger.answer(readLedgerStatus, () => {
      asked += 1;
      return { writable: true };
    });
    await ledger.flush();
  });

  it('does not let a service ask what topology does not let it ask', async () => {
    const connector = await fresh('mcp-connector');
    const refused = { fault: 'bad_ask', beforeDispatch: true };
    expect(await connector.ask(readLedgerStatus, {})).toMatchObject(refused);
    expect(asked).toBe(0);
    expect(connector.violation()).toBe(`mcp-connector may not ask ${readLedgerStatus.subject}`);
  });

  it('does not let a service ask what is in no contract', async () => {
    const gateway = await fresh('gateway');
    expect(await gateway.ask(foreign, {})).toMatchObject({ fault: 'bad_ask', beforeDispatch: true });
  });

  it('does not let a service answer for another', async () => {
    const connector = await fresh('mcp-connector');
    expect(() => connector.answer(readLedgerStatus, () => ({ writable: true }))).toThrow('may not answer');
    expect(connector.violation()).toContain(readLedgerStatus.subject);
  });

  it('does not let a service announce or hear what is not its business', async () => {
    const host = await fresh('native-tool-host');
    const body = { tenant, approval_id: approvalId, call_id: callId(1), status: 'approved' } as const;
    expect(host.announce(approvalSettled, body)).toEqual({ kind: 'dropped', cause: 'not_allowed' });
    expect(() => host.listen(catalogBeat, () => {})).toThrow('may not listen');
    expect(host.violation()).toContain('may not announce');
  });

  it('logs the first violation and is without one otherwise', async () => {
    lines.length = 0;
    const gateway = await fresh('gateway');
    await gateway.ask(readLedgerStatus, {});
    expect(gateway.violation()).toBeUndefined();
    await gateway.ask(readWantedServers, {});
    await gateway.ask(foreign, {});
    expect(gateway.violation()).toContain(readWantedServers.subject);
    expect(lines.filter((line) => line.includes('the bus refused something'))).toHaveLength(1);
  });

  it('answers an exchange once', async () => {
    const connector = await fresh('mcp-connector');
    connector.answer(hosts.mcp.cancel, () => ({ found: true }));
    expect(() => connector.answer(hosts.mcp.cancel, () => ({ found: false }))).toThrow('answered already');
  });
});
