/** One thing wrong with the configuration. `path` is a dotted key, an environment variable or a file name. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** What may be wrong with a configuration is listed line by line, never thrown. */
export function formatProblems(problems: readonly Problem[]): string {
  return problems.map((problem) => `  ${problem.path}: ${problem.message}`).join('\n');
}
