/** One thing that is wrong with a set. `policy` is absent when it concerns the whole set, or its schema. */
export interface PolicyProblem {
  readonly policy?: string;
  readonly message: string;
  /** In the policy's text, from 1; columns count UTF-16 units, as editors do. Absent where there is no text to point at. */
  readonly line?: number;
  readonly column?: number;
  /** An error keeps the set from being loaded. */
  readonly severity: 'error' | 'warning';
  /** What a misspelled name was meant to be, or the text that mends it. */
  readonly suggestion?: string;
}

/** `t/a:3:14: message (did you mean x?)`, for logs and command lines. */
export function problemText({ policy, message, line, column, suggestion }: PolicyProblem): string {
  const place = [policy ?? 'set', ...(line === undefined ? [] : [line, column ?? 1])].join(':');
  return `${place}: ${message}${suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`}`;
}
