import type { Bus } from '@uar/bus';
import type { AnswerOf, AskOf, Exchange } from '@uar/contracts';
import { notAvailable } from './refusal.js';

/** The answer of another service; a request whose service does not answer is refused with 503. */
export async function asked<E extends Exchange>(bus: Bus, exchange: E, ask: AskOf<E>): Promise<AnswerOf<E>> {
  const reply = await bus.ask(exchange, ask);
  if (reply.kind === 'fault') throw notAvailable();
  return reply.value;
}
