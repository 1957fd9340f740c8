import { HostKind, type CallId, type Digest, type HostCall, type InstanceId } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { caller, HandClock, hex, settle, tenant } from '../domain/call-spec/facts.fixture.js';
import type { HostReply } from '../domain/call/ports.js';
import { OwnRequests, type OwnAnswer } from './own-requests.js';
import { RuntimeHost } from './runtime-host.js';

const instance = hex(1).slice(0, 16) as InstanceId;
const call: HostCall = {
  ...{ grant: 'grant', call_id: `call_${hex(1)}` as CallId, tenant, server: 'uar-runtime' },
  ...{ raw_name: 'uar_mcp_health', definition_digest: `sha256:${hex(0).repeat(2)}` as Digest },
  ...{ arguments_json: '{}', timeout_ms: 5_000, max_result_bytes: 1_000, wants_progress: false },
};
const notAsked = () => Promise.reject(new Error('not asked'));

class HostWorld {
  readonly clock = new HandClock();
  readonly asked: string[] = [];
  answer: () => Promise<OwnAnswer> = () => Promise.resolve({ status: 200, text: '{"a":1.0}' });
  refusal: string | undefined;
  knows = true;
  private readonly requests = new OwnRequests();
  private readonly host = new RuntimeHost({
    elsewhere: {
      run: notAsked,
      runItem: notAsked,
      cancel: () => undefined,
      onProgress: () => () => undefined,
    },
    requests: this.requests,
    checkGrant: () =>
      this.refusal === undefined ? { kind: 'valid' } : { kind: 'refused', cause: this.refusal },
    clock: this.clock,
    callerOf: () => (this.knows ? caller : undefined),
  });

  constructor() {
    this.requests.serveBy(({ url, authorization }) => {
      expect(this.requests.take(authorization)).toBe(caller);
      expect(this.requests.take(authorization)).toBeUndefined();
      this.asked.push(url);
      return this.answer();
    });
  }

  run(changes: Partial<HostCall> = {}, withinMs = 60_000): Promise<HostReply> {
    return this.host.run({ host: HostKind.enum.gateway, instance }, { ...call, ...changes }, withinMs);
  }
}

describe('the host of the tools of a gateway', () => {
  it('answers what the route answers, byte for byte', async () => {
    const world = new HostWorld();
    expect(await world.run()).toEqual({
      kind: 'ran',
      result_json:
        '{"content":[{"type":"text","text":"{\\"a\\":1.0}"}],"structuredContent":{"a":1.0},"isError":false}',
      is_error: false,
    });
    expect(world.asked).toEqual(['/api/uar/mcp/health']);
  });

  it('asks nothing without a grant that holds, and nothing for a call that is over', async () => {
    const world = new HostWorld();
    world.refusal = 'used';
    expect(await world.run()).toEqual({ kind: 'refused', cause: 'used' });
    world.knows = false;
    expect(await world.run()).toEqual({ kind: 'not_owner' });
    expect(await world.run({ raw_name: 'toString' })).toEqual({ kind: 'not_owner' });
    expect(world.asked).toEqual([]);
  });

  it.each([
    [{}, 60_000, 5_000],
    [{}, 300, 300],
  ])('waits for a route no longer than the call may take', async (changes, withinMs, ms) => {
    const world = new HostWorld();
    world.answer = () => new Promise(() => undefined);
    let reply: HostReply | undefined;
    void world.run(changes, withinMs).then((it) => (reply = it));
    await world.clock.advance(ms - 1);
    expect(reply).toBeUndefined();
    await world.clock.advance(1);
    await settle();
    expect(reply).toEqual({ kind: 'timeout' });
  });

  it('keeps to the bound of a result', async () => {
    expect(await new HostWorld().run({ max_result_bytes: 40 })).toMatchObject({ kind: 'result_too_large' });
  });
});
