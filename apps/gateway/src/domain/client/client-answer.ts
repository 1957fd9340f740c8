import type { ClientAnswer } from './connected-clients.js';

/** Requests that may wait for the client of one session, or for one principal's clients without any. */
export const mostOpenAsks = 100;
const mostAnswerBytes = 4 * 1024 * 1024;
const internalError = -32_603;

export const gone: ClientAnswer = { kind: 'gone' };
export const tooManyAsks = failure('too many requests wait for this client already');

/** The text of a result as the client wrote it. */
export function answeredWith(resultJson: string): ClientAnswer {
  return tooLong(resultJson) ?? { kind: 'answered', result_json: resultJson };
}

/** Undefined: what the client said can be passed on. */
export function tooLong(text: string): ClientAnswer | undefined {
  return Buffer.byteLength(text) > mostAnswerBytes
    ? failure('the answer of the client is too long')
    : undefined;
}

function failure(message: string): ClientAnswer {
  return { kind: 'failed', code: internalError, message };
}
