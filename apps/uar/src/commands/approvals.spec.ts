import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startStandIn, uarIn, type CommandEnd, type StandIn } from '../command-line.fixture.js';

let folder: string;
let gateway: StandIn;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'uar-approvals-'));
  gateway = await startStandIn();
});
afterEach(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

const approve = (...flags: string[]): Promise<CommandEnd> =>
  uarIn(folder, ['approvals', 'approve', 'appr_1', ...flags], { UAR_URL: gateway.url });

const approval = {
  approval_id: 'appr_1',
  tool: 'a__b',
  requester: 'User::"default/uma"',
  arguments_preview: '{}',
  risk: { level: 'low' },
  votes: [
    { by: 'User::"default/ann"', decision: 'approve', reason: 'fine\u001b', at: '2026-06-01T10:00:00.000Z' },
  ],
  expires_at: '2026-06-01T10:05:00.000Z',
};
const notPending = (status: string) => ({
  status: 409,
  body: { error: { code: 'approval_not_pending', message: 'too late', details: { status } } },
});

describe('uar approvals', () => {
  it('decides one', async () => {
    gateway.answer = () => ({ status: 200, body: { ...approval, status: 'approved' } });
    expect(await approve('--reason', 'fine')).toEqual({ code: 0, out: 'appr_1 is approved\n', err: '' });
    expect(gateway.requests).toMatchObject([
      { url: '/api/uar/approvals/appr_1/decision', body: '{"decision":"approve","reason":"fine"}' },
    ]);
  });

  it.each([
    ['approved', 'it was approved, and its call is about to be let run'],
    ['rejected', 'it was rejected, and nothing ran'],
    ['expired', 'nobody decided before 2026-06-01T10:05:00.000Z, and nothing ran'],
    ['cancelled', 'its call was cancelled or may not run any more'],
    ['channel_closed', 'whoever waited for it is gone, and nothing ran'],
    ['consumed', 'it was approved, and its call was let run'],
  ])('says of one that is %s how it ended and who voted, and fails', async (status, ending) => {
    gateway.answer = (path) =>
      path.endsWith('/decision') ? notPending(status) : { status: 200, body: { ...approval, status } };
    expect(await approve()).toEqual({
      code: 1,
      out: '',
      err:
        `approval_not_pending: appr_1 is ${status}: ${ending}\n` +
        '  approve by User::"default/ann" at 2026-06-01T10:00:00.000Z: fine\\u001b\n',
    });
    const json = await approve('--json');
    expect([json.code, JSON.parse(json.out)]).toEqual([1, { ...approval, status }]);
  });

  it('says what it was told where the approval cannot be read', async () => {
    gateway.answer = (path) =>
      path.endsWith('/decision')
        ? notPending('consumed')
        : { status: 404, body: { error: { code: 'not_found', message: 'nothing here' } } };
    const err = 'approval_not_pending: too late\n  {"status":"consumed"}\n';
    expect(await approve()).toEqual({ code: 1, out: '', err });
  });
});
