import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Values for placeholders: the environment first, then a file of that name in the secrets folder. Empty counts as unset. */
export function variableLookup(options: {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly secretsDir: string | undefined;
}): (name: string) => string | undefined {
  return (name) => {
    const value = options.environment[name];
    if (value !== undefined && value !== '') return value;
    return options.secretsDir === undefined ? undefined : readSecret(join(options.secretsDir, name));
  };
}

/** Names hold letters, digits and `_` only, so no path leaves the folder. */
function readSecret(path: string): string | undefined {
  try {
    const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return value === '' ? undefined : value;
  } catch {
    return undefined;
  }
}
