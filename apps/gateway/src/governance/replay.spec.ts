import type { Bus } from '@uar/bus';
import { readShadow, replayDecisions, writeShadow, type AnswerOf, type AskOf } from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway } from '../http-spec/gateway.fixture.js';

const log = createLog({ service: 'gateway', level: 'silent' });
const base = '/api/uar/governance';
const policies = { 't/a': 'forbid (principal, action, resource);' };
const findings = { errors: [{ policy_id: 't/a', message: 'no', line: 1, column: 2 }], warnings: [] };
const view = { version: 'v2', replayed: 3, changed: [], undecided: [], complete: false, next: '7' };
const shadow = {
  ...{ version: 'v2', since: '2026-11-30T12:00:00.000Z', counted_since: '2026-11-30T12:00:00.000Z' },
  ...{ replica: 'r', evaluated: 1, dropped: 0, differences: 0, listed: [] },
};

let gateway: Gateway;
let pdp: Bus;
let replays: AskOf<typeof replayDecisions>[];
let writes: AskOf<typeof writeShadow>[];
let replayed: AnswerOf<typeof replayDecisions>;
let written: AnswerOf<typeof writeShadow>;
let read: AnswerOf<typeof readShadow>;

beforeEach(async () => {
  gateway = await Gateway.start();
  [replays, writes] = [[], []];
  replayed = { kind: 'replayed', view };
  written = { kind: 'written', shadow };
  read = { kind: 'found', shadow };
  pdp = gateway.neighbours.hub.connect({ service: 'governance-decider', log });
  pdp.answer(replayDecisions, (ask) => {
    replays.push(ask);
    return replayed;
  });
  pdp.answer(writeShadow, (ask) => {
    writes.push(ask);
    return written;
  });
  pdp.answer(readShadow, () => read);
});
afterEach(async () => {
  await pdp.close();
  await gateway.stop();
});

const replay = (body: unknown) => gateway.ask('POST', `${base}/replay`, { body });

describe('replay', () => {
  it("asks about the caller's tenant, a thousand decisions unless told otherwise", async () => {
    const answer = await replay({ policies });
    expect([answer.status, answer.body]).toEqual([200, view]);
    await replay({ policies, since: '2026-11-30T12:00:00.000Z', limit: 10_000, cursor: '7' });
    expect(replays).toEqual([
      { tenant: 'default', policies, limit: 1_000 },
      { tenant: 'default', policies, limit: 10_000, since: Date.parse('2026-11-30T12:00:00Z'), before: 7 },
    ]);
  });

  it.each([
    ['no policies', {}],
    ['more decisions than are ever replayed', { policies, limit: 10_001 }],
    ['a time that is none', { policies, since: 'yesterday' }],
    ['a place that is none', { policies, cursor: '-1' }],
    ['a member that is not known', { policies, tenant: 'other' }],
  ])('refuses %s', async (_what, body) => {
    const answer = await replay(body);
    expect([answer.status, answer.body['error']?.['code']]).toEqual([400, 'bad_request']);
    expect(replays).toEqual([]);
  });

  it.each<[AnswerOf<typeof replayDecisions>, number, string]>([
    [{ kind: 'invalid', findings }, 422, 'policies_invalid'],
    [{ kind: 'off' }, 422, 'governance_off'],
    [{ kind: 'unavailable', cause: 'no_responders' }, 503, 'unavailable'],
  ])('answers %o with its status', async (answered, status, code) => {
    replayed = answered;
    const answer = await replay({ policies });
    expect([answer.status, answer.body['error']?.['code']]).toEqual([status, code]);
    if (answered.kind === 'invalid') expect(answer.body['error']?.['details']).toEqual(findings);
  });
});

describe('the shadow', () => {
  const put = () => gateway.ask('PUT', `${base}/shadow`, { body: { policies } });
  const remove = () => gateway.ask('DELETE', `${base}/shadow`);

  it('is put, read and ended by whom Cedar lets', async () => {
    expect((await put()).body).toEqual(shadow);
    expect((await gateway.ask('GET', `${base}/shadow`)).body).toEqual(shadow);
    written = { kind: 'removed' };
    expect((await remove()).body).toEqual({ deleted: true });
    expect(writes.map((ask) => ask.policies)).toEqual([policies, undefined]);
    expect(writes[0]?.caller.principal.subject).toBe('ada');
    gateway.neighbours.may = () => false;
    expect((await put()).status).toBe(403);
    expect((await remove()).status).toBe(403);
    expect((await gateway.ask('GET', `${base}/shadow`)).status).toBe(403);
    expect(writes).toHaveLength(2);
  });

  it('is 404 where there is none, 409 where somebody else was faster, 422 where it is unsound', async () => {
    read = { kind: 'not_found' };
    expect((await gateway.ask('GET', `${base}/shadow`)).status).toBe(404);
    written = { kind: 'not_found' };
    expect((await remove()).status).toBe(404);
    written = { kind: 'conflict' };
    expect((await put()).status).toBe(409);
    written = { kind: 'invalid', findings };
    const answer = await put();
    expect([answer.status, answer.body['error']?.['details']]).toEqual([422, findings]);
  });
});
