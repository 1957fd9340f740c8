import { Outcome, effectOf } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import type { CallHandle } from '../call/proposed-call.js';
import type { HostReply } from '../call/ports.js';
import { effectiveRun } from '../run/effective-run.js';
import { caller, denied, settle } from './facts.fixture.js';
import { World } from './world.fixture.js';

type Scenario = (world: World) => CallHandle | Promise<CallHandle>;

const replying =
  (reply: HostReply): Scenario =>
  (world) => {
    world.reply = () => reply;
    return world.propose();
  };

const settledAs =
  (status: 'rejected' | 'expired' | 'cancelled' | 'channel_closed'): Scenario =>
  async (world) => {
    const { handle, approvalId } = await world.waiting();
    world.settle(approvalId, status);
    return handle;
  };

const scenarios: readonly (readonly [Outcome, string, Scenario])[] = [
  ['completed', 'a good result', (world) => world.propose()],
  ['tool_error', 'isError', replying({ kind: 'ran', result_json: '{"isError":true}', is_error: true })],
  ['upstream_error', 'a JSON-RPC error', replying({ kind: 'upstream_error', code: -32001, message: 'no' })],
  ['unknown_tool', 'no such name', (world) => world.propose('srv__nothing')],
  [
    'unknown_tool',
    'a hidden tool, also with bad arguments',
    (world) => {
      world.visible = 'hidden';
      world.checked = { kind: 'does_not_fit', errors: [] };
      return world.propose();
    },
  ],
  [
    'invalid_arguments',
    'the schema does not fit',
    (world) => {
      world.checked = { kind: 'does_not_fit', errors: [{ path: '/a', message: 'must be string' }] };
      return world.propose();
    },
  ],
  [
    'invalid_arguments',
    'too many bytes',
    (world) => world.propose('srv__read', { argumentsJson: JSON.stringify({ a: 'é'.repeat(600) }) }),
  ],
  ['run_denied', 'a run of somebody else', (world) => world.propose('srv__read', { runId: 'run_x' })],
  [
    'run_denied',
    'an agent nobody registered',
    (world) => {
      world.runDenied = 'agent_not_registered';
      return world.propose('srv__nothing');
    },
  ],
  [
    'run_denied',
    'a tool that the run leaves out',
    (world) => {
      world.scopes = effectiveRun([{ tools: { mode: 'all', denied_ids: ['srv__read'] } }]);
      return world.propose();
    },
  ],
  [
    'unknown_tool',
    'a hidden tool that the run leaves out besides',
    (world) => {
      world.visible = 'hidden';
      world.scopes = effectiveRun([{ tools: { mode: 'none' } }]);
      return world.propose();
    },
  ],
  [
    'run_denied',
    'the run leaves the tool out while a human is asked',
    async (world) => {
      const { handle, approvalId } = await world.waiting();
      world.scopes = effectiveRun([{ mcp_servers: { mode: 'none' } }]);
      world.settle(approvalId, 'approved');
      return handle;
    },
  ],
  [
    'capability_denied',
    'the PDP says so',
    (world) => {
      world.decideWith = () => ({
        kind: 'deny',
        policy_version: 'v1',
        determining: [],
        governance: 'on',
        outcome: 'capability_denied',
        cause: 'write',
      });
      return world.propose();
    },
  ],
  [
    'policy_denied',
    'the PDP says so',
    (world) => {
      world.decideWith = () => denied('policy_denied');
      return world.propose();
    },
  ],
  [
    'quarantined',
    'a schema nobody can check',
    (world) => {
      world.checked = { kind: 'uncheckable', cause: 'schema_endless' };
      return world.propose();
    },
  ],
  ['approval_rejected', 'an approver said no', settledAs('rejected')],
  ['approval_timeout', 'the record expired', settledAs('expired')],
  ['cancelled', 'the record was cancelled', settledAs('cancelled')],
  ['channel_closed', 'the record was closed', settledAs('channel_closed')],
  [
    'approval_timeout',
    'nobody decided in time',
    async (world) => {
      const { handle } = await world.waiting();
      await world.clock.advance(300_000);
      return handle;
    },
  ],
  [
    'approval_timeout',
    'the deadline is shorter',
    async (world) => {
      const { handle } = await world.waiting({ deadlineMs: 1_000 });
      await world.clock.advance(1_000);
      return handle;
    },
  ],
  [
    'rate_limited',
    'too many approvals',
    async (world) => {
      world.limitedBy = 5_000;
      return (await world.waiting()).handle;
    },
  ],
  [
    'overloaded',
    'the bound is reached',
    (world) => {
      const full = world.assembled(0);
      return full.propose({ caller, toolName: 'srv__read', argumentsJson: '{}' });
    },
  ],
  ['overloaded', 'the host is full', replying({ kind: 'overloaded', retry_after_ms: 10 })],
  [
    'unavailable',
    'nobody is there to check the schema',
    (world) => {
      world.checked = { kind: 'unavailable', cause: 'schema_thread_lost' };
      return world.propose();
    },
  ],
  [
    'unavailable',
    'the PDP does not answer',
    (world) => {
      world.decideWith = () => ({ kind: 'unavailable', cause: 'pdp' });
      return world.propose();
    },
  ],
  [
    'unavailable',
    'the intent cannot be written',
    (world) => {
      world.ledger = false;
      return world.propose('srv__write');
    },
  ],
  [
    'unavailable',
    'no instance serves the tool',
    (world) => {
      world.instances = [];
      return world.propose();
    },
  ],
  [
    'unavailable',
    'too many receipts are unwritten',
    (world) => {
      world.isAccepting = false;
      return world.propose();
    },
  ],
  ['unavailable', 'the host refuses the grant', replying({ kind: 'refused', cause: 'used' })],
  ['unavailable', 'nobody listens anywhere', replying({ kind: 'no_responders' })],
  ['unavailable', 'nothing could be sent', replying({ kind: 'not_sent', cause: 'too large' })],
  ['timeout', 'no answer in time', replying({ kind: 'timeout' })],
  ['transport_failure', 'the connection broke', replying({ kind: 'transport_failure', message: 'x' })],
  ['transport_failure', 'the host cancelled by itself', replying({ kind: 'cancelled', dispatched: true })],
  ['result_too_large', 'over the cap', replying({ kind: 'result_too_large', bytes: 1 })],
  [
    'cancelled_after_dispatch',
    'the host never says how it ended',
    async (world) => {
      world.reply = () => new Promise(() => undefined);
      const handle = world.propose();
      await settle();
      handle.cancel();
      await world.clock.advance(5_000);
      return handle;
    },
  ],
  [
    'internal_fault',
    'a bug of ours',
    (world) => {
      world.decideWith = () => {
        throw new Error('a bug');
      };
      return world.propose();
    },
  ],
];

describe('a proposed call', () => {
  it.each(scenarios)('ends as %s: %s', async (outcome, _why, scenario) => {
    const world = new World();
    const handle = await scenario(world);
    const ended = await handle.ended;
    await handle.decided;
    expect(ended.outcome).toBe(outcome);
    const outcomes = [...world.written, ...world.limits].filter(({ kind }) => kind === 'outcome');
    expect(outcomes).toMatchObject([{ outcome, effect: effectOf(outcome), call_id: ended.callId }]);
    if (effectOf(outcome) === 'ran') expect(world.runs.length).toBe(1);
    expect(world.pipeline.find(ended.callId)).toBeUndefined();
    expect(world.room.size).toBe(0);
  });

  it('can end in every outcome there is', () => {
    expect([...new Set(scenarios.map(([outcome]) => outcome))].sort()).toEqual([...Outcome.options].sort());
  });
});
