import type { CallEnd } from '../domain/upstream.js';
import type { RequestProblem } from './frames/frame.js';
import { AuthRequired, Broken, NotAuthorized, NotSent } from './not-sent.js';

/** How words of a connection become fit to leave this host. */
export interface Words {
  /** Words of ours: one short line without secrets. */
  readonly scrub: (text: string) => string;
  /** The upstream's own words without secrets, else as they are. */
  readonly hideSecrets: (text: string) => string;
  /** The same for its JSON text: what it gives is valid JSON, or undefined. */
  readonly scrubJson: (text: string) => string | undefined;
}

/** Of a call whose request failed to be sent or answered; undefined: of another cause. */
export function endOfFailure(error: unknown, { scrub }: Words): CallEnd | undefined {
  if (error instanceof NotSent) return { kind: 'unavailable', message: scrub(error.message) };
  if (error instanceof NotAuthorized)
    return { kind: 'unavailable', message: scrub(error.message), cause: error.missing };
  if (error instanceof Broken || error instanceof AuthRequired)
    return { kind: 'transport_failure', message: scrub(error.message) };
  return undefined;
}

export function endOfProblem(problem: RequestProblem['problem'], words: Words): CallEnd {
  if (problem.kind !== 'upstream_error') return problem;
  const { code, message, dataJson } = problem;
  const data = dataJson === undefined ? undefined : words.scrubJson(dataJson);
  return {
    kind: 'upstream_error',
    code,
    message: words.hideSecrets(message),
    ...(data === undefined ? {} : { data_json: data }),
  };
}
