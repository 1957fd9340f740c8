import {
  formatProblems,
  loadConfig,
  printConfig,
  redactConfig,
  type LoadOptions,
  type LoadedConfig,
} from '@uar/config';
import { json } from '../output.js';
import { exit, type ExitCode, type World } from '../world.js';

export interface ConfigOptions {
  /** File instead of UAR_CONFIG. */
  readonly file?: string;
  readonly json: boolean;
}

/** Says everything that is wrong. Nothing is created, no socket opened. */
export function checkConfig(world: World, options: ConfigOptions): ExitCode {
  const loaded = load(world, options, { whole: true });
  if (options.json) {
    const problems = loaded.kind === 'bad' ? loaded.problems : [];
    const warnings = loaded.kind === 'ok' ? loaded.warnings : [];
    world.out(json({ ok: loaded.kind === 'ok', problems, warnings }));
    return loaded.kind === 'ok' ? exit.ok : exit.failed;
  }
  if (loaded.kind === 'bad') {
    world.err(
      `the configuration has ${loaded.problems.length} problem(s):\n${formatProblems(loaded.problems)}\n`,
    );
    return exit.failed;
  }
  warn(world, loaded);
  world.out(`${loaded.file ?? 'the defaults'}: good\n`);
  return exit.ok;
}

/** The resolved configuration, secrets as `***`. */
export function showConfig(world: World, options: ConfigOptions): ExitCode {
  const loaded = load(world, options, { whole: false });
  if (loaded.kind === 'bad') {
    world.err(
      `the configuration has ${loaded.problems.length} problem(s):\n${formatProblems(loaded.problems)}\n`,
    );
    return exit.failed;
  }
  warn(world, loaded);
  world.out(options.json ? json(redactConfig(loaded.config)) : printConfig(loaded.config));
  return exit.ok;
}

function load(world: World, { file }: ConfigOptions, { whole }: Required<Pick<LoadOptions, 'whole'>>) {
  return loadConfig({
    env: world.env,
    cwd: world.cwd,
    generate: false,
    whole,
    ...(file === undefined ? {} : { file }),
  });
}

export function warn(world: World, loaded: LoadedConfig): void {
  if (loaded.warnings.length > 0) world.err(`warnings:\n${formatProblems(loaded.warnings)}\n`);
}
