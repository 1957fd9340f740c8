import { ErrorBody } from '@uar/contracts';
import type { z } from 'zod';
import { CommandFailure, exit } from '../world.js';
import { detailLines } from './details.js';
import type { ApiReply, ApiRequest, GatewayClient } from './gateway-client.js';

/** Sends a request; anything but a 2xx answer ends the command with what the gateway said. */
export async function ask(client: GatewayClient, request: ApiRequest): Promise<unknown> {
  const reply = answered(client, await client.send(request));
  if (reply.status < 200 || reply.status > 299) throw refusal(reply.status, reply.text);
  return parseJson(reply.text, client.url);
}

/** The same, with the answer's shape checked. */
export async function askFor<S extends z.ZodType>(
  client: GatewayClient,
  request: ApiRequest & { answer: S },
): Promise<z.output<S>> {
  const reply = answered(client, await client.send(request));
  if (reply.status < 200 || reply.status > 299) throw refusal(reply.status, reply.text);
  return shaped(client, reply.text, request.answer);
}

/** JSON text of a form that is expected; anything else was not said by a gateway of ours. */
export function shaped<S extends z.ZodType>(client: GatewayClient, text: string, form: S): z.output<S> {
  const parsed = form.safeParse(parseJson(text, client.url));
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new CommandFailure(
    exit.failed,
    `${client.url} answers in a shape of its own (at ${where || 'the root'})`,
  );
}

export function answered(client: GatewayClient, reply: ApiReply): Extract<ApiReply, { kind: 'answered' }> {
  if (reply.kind === 'answered') return reply;
  throw new CommandFailure(exit.unreachable, `${client.url} cannot be reached (${reply.message})`);
}

export function refusal(status: number, text: string): CommandFailure {
  try {
    const parsed = ErrorBody.safeParse(JSON.parse(text));
    if (parsed.success) {
      const { code, message, details } = parsed.data.error;
      return new CommandFailure(exit.failed, `${code}: ${message}\n${detailLines(details)}`.trimEnd());
    }
  } catch {
    // Not JSON: a proxy or another server answered.
  }
  return new CommandFailure(exit.failed, `HTTP ${status}`);
}

export function parseJson(text: string, from: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandFailure(exit.failed, `${from} answers with something that is no JSON`);
  }
}
