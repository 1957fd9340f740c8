import type { HostAnswer, HostCall } from '@uar/contracts';
import type { Gateway } from '../../http-spec/gateway.fixture.js';
import type { UpstreamAsk } from '../../http-spec/neighbours.fixture.js';
import type { Message, RawAnswer } from '../raw-client.fixture.js';
import type { StatelessClient } from './stateless-client.fixture.js';

export const capabilities = { sampling: {}, elicitation: {}, roots: { listChanged: true } };
export const tool = 'srv__echo';
export const ran: HostAnswer = { kind: 'ran', result_json: '{"content":[],"odd":1.50}', is_error: false };

type Question = Pick<UpstreamAsk, 'method' | 'params_json'>;
export const roots: Question = { method: 'roots/list', params_json: '{}' };
export const sampling: Question = {
  method: 'sampling/createMessage',
  params_json: '{ "maxTokens":1e2 }',
};
export const named = (key: string): Question => ({
  method: 'elicitation/create',
  params_json: `{"message":"?","_meta":{"io.uar/key":"${key}"}}`,
});

export const resultOf = ({ messages }: RawAnswer): Message => messages.at(-1)?.['result'] ?? {};
export const keysOf = (result: Message): string[] => Object.keys(result['inputRequests'] ?? {});
export const placeOf = (call: HostCall) => ({ seat_id: call.seat?.id ?? '', call_id: call.call_id });
export const answered = (result_json: string) => ({ kind: 'answered', result_json });

/** The call with what its client was given, and what it answers. */
export function again(
  by: StatelessClient,
  { requestState }: Message | { readonly requestState: string },
  inputResponses: object,
  args: object = {},
): Promise<RawAnswer> {
  return by.call(tool, args, { requestState, inputResponses });
}

/** During a call each list is asked at once, one after the other; `heard` is what came back. */
export function asks(
  { neighbours }: Gateway,
  ...rounds: readonly (readonly Question[])[]
): { readonly heard: unknown[] } {
  const heard: unknown[] = [];
  neighbours.run = async (call) => {
    for (const questions of rounds) {
      const asked = questions.map((one) => neighbours.askClient({ ...placeOf(call), ...one }));
      const replies = await Promise.all(asked);
      heard.push(...replies.map((reply) => (reply.kind === 'answered' ? reply.value : reply)));
    }
    return ran;
  };
  return { heard };
}
