import { CallId, TenantId, type HostCall } from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CallDesk, type GrantCheck } from './call-desk.js';
import { nativeTool, type ToolEnd } from './native-tool.js';

const digest = `sha256:${'1'.repeat(64)}`;
const far = Date.now() + 86_400_000;

function desk(options: {
  run?: (signal: AbortSignal) => Promise<ToolEnd>;
  grants?: GrantCheck;
  timeoutMs?: number;
}): { desk: CallDesk; asked: unknown[]; ran: () => number } {
  let runs = 0;
  const asked: unknown[] = [];
  const tool = nativeTool({
    name: 'echo',
    title: 'Echo',
    description: 'Says what it is told.',
    schema: z.strictObject({ text: z.string() }),
    statement: {
      family: 'native.file',
      capabilities: ['read'],
      risk: 0,
      read_only: true,
      destructive: false,
      idempotent: true,
      open_world: false,
      paths: [],
      timeout_ms: options.timeoutMs ?? 10_000,
    },
    call: (args, signal) => {
      runs += 1;
      return options.run?.(signal) ?? Promise.resolve({ kind: 'said', texts: [args.text] });
    },
  });
  const grants = options.grants ?? {
    verify: (grant, expected) => {
      asked.push(expected);
      return grant === 'good' ? { kind: 'valid' } : { kind: 'refused', cause: 'bad_signature' };
    },
  };
  return {
    desk: new CallDesk({
      tools: { find: (name) => (name === tool.name ? { tool, digest } : undefined) },
      grants,
      now: Date.now,
    }),
    asked,
    ran: () => runs,
  };
}

function call(changes: Partial<HostCall> = {}): HostCall {
  return {
    grant: 'good',
    call_id: CallId.parse(`call_${'a'.repeat(32)}`),
    tenant: TenantId.parse('default'),
    server: 'native',
    raw_name: 'echo',
    definition_digest: digest,
    arguments_json: '{"text":"hi"}',
    timeout_ms: 10_000,
    max_result_bytes: 1_000,
    wants_progress: false,
    ...changes,
  };
}

describe('the desk of a host', () => {
  it('runs a granted call with digests of its own making', async () => {
    const { desk: at, asked } = desk({});
    expect(await at.run(call(), far)).toEqual({
      kind: 'ran',
      result_json: '{"content":[{"type":"text","text":"hi"}]}',
      is_error: false,
    });
    expect(asked).toEqual([
      {
        call_id: call().call_id,
        tenant: 'default',
        method: 'tools/call',
        server: 'native',
        raw_name: 'echo',
        definition_digest: digest,
        arguments_digest: argumentsDigest('{"text":"hi"}'),
      },
    ]);
  });

  it('runs nothing without a grant that holds', async () => {
    const { desk: at, ran } = desk({});
    expect(await at.run(call({ grant: 'bad' }), far)).toEqual({ kind: 'refused', cause: 'bad_signature' });
    expect(ran()).toBe(0);
  });

  it('spends no grant on what it would not run', async () => {
    const { desk: at, asked } = desk({});
    const cases: readonly [Partial<HostCall>, unknown][] = [
      [{ server: 'time' }, { kind: 'not_owner' }],
      [{ raw_name: 'other' }, { kind: 'refused', cause: 'unknown_tool' }],
      [{ raw_name: '__proto__' }, { kind: 'refused', cause: 'unknown_tool' }],
      [{ definition_digest: `sha256:${'2'.repeat(64)}` }, { kind: 'refused', cause: 'definition_changed' }],
      [{ arguments_json: '{"text":1}' }, { kind: 'refused', cause: 'invalid_arguments' }],
      [{ arguments_json: '{"text":"a","more":1}' }, { kind: 'refused', cause: 'invalid_arguments' }],
      [{ arguments_json: '{"text":"a","text":"b"}' }, { kind: 'refused', cause: 'invalid_arguments' }],
      [{ arguments_json: '['.repeat(100_000) }, { kind: 'refused', cause: 'invalid_arguments' }],
      [{ arguments_json: '' }, { kind: 'refused', cause: 'invalid_arguments' }],
    ];
    for (const [change, answer] of cases) expect(await at.run(call(change), far)).toEqual(answer);
    expect(await at.run(call(), Date.now() - 1)).toMatchObject({ kind: 'unavailable' });
    at.close();
    expect(await at.run(call(), far)).toMatchObject({ kind: 'unavailable' });
    expect(asked).toEqual([]);
  });

  it('ends a call that takes too long, and one that is cancelled, with a tool that listens and one that does not', async () => {
    const deaf = (): Promise<ToolEnd> => new Promise(() => undefined);
    const listening = (signal: AbortSignal): Promise<ToolEnd> =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('stopped'));
        });
      });
    for (const run of [deaf, listening]) {
      const slow = desk({ run, timeoutMs: 20 });
      expect(await slow.desk.run(call(), far)).toEqual({ kind: 'timeout' });
      const { desk: at } = desk({ run });
      const running = at.run(call(), far);
      expect(at.inFlight).toBe(1);
      expect(at.cancel(call().call_id)).toBe(true);
      expect(await running).toEqual({ kind: 'cancelled', dispatched: true });
      expect(at.cancel(call().call_id)).toBe(false);
      expect(at.inFlight).toBe(0);
    }
  });

  it('says that a result is too large, that a tool failed, and throws what a tool throws', async () => {
    const { desk: at } = desk({});
    expect(await at.run(call({ max_result_bytes: 40 }), far)).toEqual({
      kind: 'result_too_large',
      bytes: 41,
    });
    const failing = desk({ run: () => Promise.resolve({ kind: 'failed', text: 'no' }) });
    expect(await failing.desk.run(call(), far)).toEqual({
      kind: 'ran',
      result_json: '{"content":[{"type":"text","text":"no"}],"isError":true}',
      is_error: true,
    });
    const broken = desk({ run: () => Promise.reject(new Error('bug')) });
    await expect(broken.desk.run(call(), far)).rejects.toThrow('bug');
  });

  it('refuses more than 64 calls at once before their grants are spent', async () => {
    const { desk: at, asked } = desk({ run: () => new Promise(() => undefined) });
    const id = (n: number): CallId => CallId.parse(`call_${n.toString(16).padStart(32, '0')}`);
    const running = Array.from({ length: 64 }, (_, n) => at.run(call({ call_id: id(n) }), far));
    expect(await at.run(call({ call_id: id(99) }), far)).toMatchObject({ kind: 'overloaded' });
    expect(asked).toHaveLength(64);
    for (let n = 0; n < 64; n += 1) at.cancel(id(n));
    expect((await Promise.all(running)).map((answer) => answer.kind)).toEqual(Array(64).fill('cancelled'));
  });
});
