import type { HostCall } from '@uar/contracts';
import type { Gateway } from '../../http-spec/gateway.fixture.js';
import { until } from '../../http-spec/gateway.fixture.js';
import type { UpstreamAsk } from '../../http-spec/neighbours.fixture.js';
import { Listening } from '../listening.fixture.js';
import { RawClient, type RawOptions } from '../raw-client.fixture.js';

const everything = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } };

/** A client with a call that its upstream is at work on. */
export interface Asking {
  readonly client: RawClient;
  /** The stream of the call. */
  readonly stream: Listening;
  readonly call: HostCall;
  /** Lets the call end. */
  release(): void;
}

export async function asking(gateway: Gateway, options: RawOptions = {}): Promise<Asking> {
  const client = await RawClient.open(gateway, { capabilities: everything, ...options });
  return calling(client);
}

export async function calling(client: RawClient): Promise<Asking> {
  const { neighbours } = client.gateway;
  const before = neighbours.calls.length;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  neighbours.run = async () => {
    await held;
    return { kind: 'ran', result_json: '{"content":[]}', is_error: false };
  };
  // Streams of the earlier revisions show themselves with their first message.
  const isPrimed = (client.options.revision ?? '2025-11-25') === '2025-11-25';
  const params = { name: 'srv__echo', ...(!isPrimed && { _meta: { progressToken: 1 } }) };
  const message = { jsonrpc: '2.0', id: 'call', method: 'tools/call', params };
  const opening = Listening.open(client, { method: 'POST', message });
  await until(() => neighbours.calls.length === before + 1);
  const call = neighbours.calls.at(-1);
  if (call === undefined) throw new Error('there is no call');
  if (!isPrimed) neighbours.progress(call.call_id, { progress: 1 });
  return { client, stream: await opening, call, release };
}

export function seatOf({ seat }: HostCall) {
  if (seat === undefined) throw new Error('the call has no seat');
  return seat;
}

/** What an upstream asks during the call. */
export function sampling({ call }: Asking, params = '{"maxTokens":1}'): UpstreamAsk {
  const { id } = seatOf(call);
  return { seat_id: id, call_id: call.call_id, method: 'sampling/createMessage', params_json: params };
}

/** The id of the last request that the client got on this stream. */
export async function askedOn(stream: Listening, method = 'sampling/createMessage'): Promise<string> {
  const asked = () => stream.messages.findLast((message) => message['method'] === method);
  await until(() => asked() !== undefined);
  return String(asked()?.['id']);
}

export const gone = { kind: 'answered', value: { kind: 'gone' } };
