import { ChangeDecided } from '@uar/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entry } from '../domain/call-spec/entry.fixture.js';
import { Gateway, until } from '../http-spec/gateway.fixture.js';
import { oneHuman } from '../http-spec/neighbours.fixture.js';

const changes = '/api/uar/mcp/servers/srv/changes';

describe('the review of changed definitions', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    gateway = await Gateway.start();
  });
  afterEach(() => gateway.stop());

  it('is for those whom Cedar allows reviewTools', async () => {
    const asked: string[] = [];
    gateway.neighbours.may = (question) => {
      asked.push(question.kind === 'admin' ? question.action : question.kind);
      return false;
    };
    const id = 'chg_1';
    const answers = [
      await gateway.ask('GET', changes),
      await gateway.ask('POST', `${changes}/${id}/accept`),
      await gateway.ask('POST', `${changes}/${id}/reject`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(asked).toEqual(['reviewTools', 'reviewTools', 'reviewTools']);
  });

  it('lists the changes of a server, and says what a decision came to', async () => {
    expect((await gateway.ask('GET', changes)).body).toEqual({ changes: [] });
    expect((await gateway.ask('GET', '/api/uar/mcp/servers/none/changes')).status).toBe(404);
    const id = `chg_${'0'.repeat(32)}`;
    const decided = ChangeDecided.parse({
      ...{ id, tool: 'srv__echo', digest: `sha256:${'0'.repeat(64)}` },
      decision: 'accepted',
    });
    const asks: unknown[] = [];
    for (const [answer, status, code] of [
      [{ kind: 'decided', decided }, 200, undefined],
      [{ kind: 'not_found', message: 'why' }, 404, 'not_found'],
      [{ kind: 'superseded', message: 'why' }, 409, 'change_superseded'],
      [{ kind: 'not_open', decision: 'rejected' }, 409, 'change_not_open'],
      [{ kind: 'unavailable', message: 'why' }, 503, 'unavailable'],
    ] as const) {
      gateway.neighbours.decideChange = (ask) => {
        asks.push([ask.name, ask.id, ask.decision, ask.principal.subject]);
        return answer;
      };
      const { status: got, body } = await gateway.ask('POST', `${changes}/${id}/accept`);
      expect([answer.kind, got, body['error']?.['code']]).toEqual([answer.kind, status, code]);
    }
    expect(asks).toContainEqual(['srv', id, 'accept', 'ada']);
  });

  it('ends the call that waits for a human when the definition changes', async () => {
    gateway.neighbours.decide = oneHuman;
    const waiting = gateway.execute('srv__write');
    await until(() => gateway.neighbours.records.size === 1);
    gateway.neighbours.catalogChanged([
      entry(
        'write',
        { capabilities: ['read', 'write'], risk: 3, pinned: false },
        { type: 'object', title: 'x' },
      ),
    ]);
    const { status, body } = await waiting;
    expect([status, body['outcome'], body['effect']]).toEqual([403, 'quarantined', 'did_not_run']);
    expect(body['approval']?.['status']).toBe('cancelled');
    await until(() => gateway.neighbours.outcomes.includes('quarantined'));
    expect(gateway.neighbours.calls).toEqual([]);
  });
});
