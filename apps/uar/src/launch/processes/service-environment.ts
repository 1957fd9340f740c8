import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Environment, LoadedConfig } from '@uar/config';

/** Node flag without which Node 20 and 22 abort in cedar-wasm. */
export const nodeFlags = ['--no-turbo-inline-js-wasm-calls'];

/** The app's main.js, beside its door. */
export function mainOf(app: string): string {
  return join(dirname(createRequire(import.meta.url).resolve(`@uar/${app}/module`)), 'main.js');
}

/** Our environment with the flags in it, and the very file and folder that were checked. */
export function wholeEnvironment(options: {
  env: Environment;
  loaded: LoadedConfig;
}): Record<string, string> {
  const { env, loaded } = options;
  const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    ...Object.fromEntries(set),
    ...(loaded.file === undefined ? {} : { UAR_CONFIG: loaded.file }),
    UAR_DATA_DIR: loaded.config.data_dir,
  };
}
