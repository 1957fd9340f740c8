import type { Caller, CallId, HostCall, HostItemRequest } from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import { z } from 'zod';
import type { Clock, HostAddress, HostReply, Hosts } from '../domain/call/ports.js';
import type { OwnRequests } from './own-requests.js';
import { runtimeTools, type RuntimeTool } from './runtime-tools.js';

/** The grant is for exactly this call at this gateway, and was not used before. Spends it. */
export type CheckOwnGrant = (
  call: HostCall,
  argumentsDigest: string,
) => { readonly kind: 'valid' } | { readonly kind: 'refused'; readonly cause: string };

interface RuntimeHostParts {
  readonly elsewhere: Hosts<'mcp' | 'native'>;
  readonly requests: OwnRequests;
  readonly checkGrant: CheckOwnGrant;
  readonly clock: Pick<Clock, 'after'>;
  /** Whose call it is; undefined when it is over. */
  callerOf(callId: CallId): Caller | undefined;
}

const Arguments = z.record(z.string(), z.unknown());

/** Executes the tools of `/mcp/uar` as requests to the routes they stand for, like any host by grant alone; all other hosts are elsewhere. */
export class RuntimeHost implements Hosts {
  constructor(private readonly parts: RuntimeHostParts) {}

  run({ host, instance }: HostAddress, call: HostCall, withinMs: number): Promise<HostReply> {
    if (host !== 'gateway') return this.parts.elsewhere.run({ host, instance }, call, withinMs);
    return this.within(Math.min(call.timeout_ms, withinMs), this.execute(call));
  }

  /** Resources and prompts are those of upstreams alone. */
  runItem({ host, instance }: HostAddress, request: HostItemRequest, withinMs: number): Promise<HostReply> {
    if (host === 'gateway') return Promise.resolve({ kind: 'not_owner' });
    return this.parts.elsewhere.runItem({ host, instance }, request, withinMs);
  }

  /** What runs here is over in a moment. */
  cancel({ host, instance }: HostAddress, callId: CallId): void {
    if (host !== 'gateway') this.parts.elsewhere.cancel({ host, instance }, callId);
  }

  onProgress(callId: CallId, listener: (paramsJson: string) => void): () => void {
    return this.parts.elsewhere.onProgress(callId, listener);
  }

  /** What a route does after that is answered to nobody. */
  private within(ms: number, reply: Promise<HostReply>): Promise<HostReply> {
    return new Promise((resolve, reject) => {
      const stop = this.parts.clock.after(ms, () => resolve({ kind: 'timeout' }));
      void reply.then(resolve, reject).finally(stop);
    });
  }

  private async execute(call: HostCall): Promise<HostReply> {
    const tool = runtimeTools[call.raw_name];
    const caller = this.parts.callerOf(call.call_id);
    if (tool === undefined || caller === undefined) return { kind: 'not_owner' };
    const granted = this.parts.checkGrant(call, argumentsDigest(call.arguments_json));
    if (granted.kind === 'refused') return granted;
    const { status, text } = await this.parts.requests.send(caller, requestOf(tool, call.arguments_json));
    const isError = status >= 400;
    const result = `{"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text},"isError":${isError}}`;
    const bytes = Buffer.byteLength(result);
    if (bytes > call.max_result_bytes) return { kind: 'result_too_large', bytes };
    return { kind: 'ran', result_json: result, is_error: isError };
  }
}

function requestOf({ route, path = {} }: RuntimeTool, argumentsJson: string) {
  const args = Arguments.parse(JSON.parse(argumentsJson));
  const take = (name: string): string => {
    const value = args[name];
    Reflect.deleteProperty(args, name);
    // A half of a surrogate pair has no encoding, and is in no id.
    return encodeURIComponent(typeof value === 'string' ? value.toWellFormed() : '');
  };
  const parameters = Object.entries(path).map(([parameter, name]) => [`:${parameter}`, take(name)] as const);
  const [template = ''] = route.paths;
  const url = parameters.reduce((made, [parameter, value]) => made.replace(parameter, value), template);
  if (route.body !== undefined) return { method: route.method, url, body: JSON.stringify(args) };
  const query = new URLSearchParams(
    Object.entries(args).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return { method: route.method, url: query.size === 0 ? url : `${url}?${query.toString()}` };
}
