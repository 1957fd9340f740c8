import type { FastifyReply } from 'fastify';

export interface AnswerOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends JSON text as it is. */
export function sendText(reply: FastifyReply, json: string, options: AnswerOptions = {}): void {
  void reply
    .code(options.status ?? 200)
    .header('content-type', 'application/json; charset=utf-8')
    .headers({ 'cache-control': 'no-store', ...options.headers })
    .send(json);
}

export function sendJson(reply: FastifyReply, value: unknown, options: AnswerOptions = {}): void {
  sendText(reply, JSON.stringify(value), options);
}
