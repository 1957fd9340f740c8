import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { shellEnvironment } from './process.fixture.js';
import { launchService, type ServiceProcess } from './launch-service.js';

/** This library as JavaScript in a folder of its own, so that a process other than the test runner can be a parent. */
export function builtLibrary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'uar-sandbox-'));
  const sources = readdirSync(import.meta.dirname).filter((name) => /^[a-z-]+\.ts$/.test(name));
  for (const name of sources) {
    const text = readFileSync(join(import.meta.dirname, name), 'utf8');
    const compilerOptions = {
      module: ModuleKind.ESNext,
      target: ScriptTarget.ES2022,
      verbatimModuleSyntax: true,
    };
    const { outputText } = transpileModule(text, { compilerOptions });
    writeFileSync(
      join(folder, name.replace(/\.ts$/, '.mjs')),
      outputText.replaceAll(/(from '\.\/[a-z-]+)\.js'/g, "$1.mjs'"),
    );
  }
  return folder;
}

interface Running {
  readonly parent: ServiceProcess;
  /** Settles with its next line of output. */
  line(): Promise<string>;
}

const nodeArguments = (source: string) => ['--input-type=module', '-e', source];

/** Runs an ES module as a process of its own. */
export async function runModule(source: string): Promise<Running> {
  return await run(process.execPath, nodeArguments(source));
}

/** The same under a process that never waits for it, as some of the first processes of containers; says its pid first. */
export async function runNeverReaped(source: string): Promise<Running> {
  const script = '"$0" "$@" & echo $!; exec sleep 1000';
  return await run('/bin/sh', ['-c', script, process.execPath, ...nodeArguments(source)]);
}

async function run(command: string, args: readonly string[]): Promise<Running> {
  const lines: string[] = [];
  let waiting: ((line: string) => void) | undefined;
  const started = await launchService({
    command,
    args: [...args],
    env: shellEnvironment,
    owner: 'sandbox spec parent',
    output: (line) => {
      lines.push(line);
      waiting?.(lines.shift() ?? '');
      waiting = undefined;
    },
  });
  if (started.kind === 'failed') throw new Error(started.message);
  const line = (): Promise<string> => {
    const next = lines.shift();
    return next === undefined ? new Promise((resolve) => (waiting = resolve)) : Promise.resolve(next);
  };
  return { parent: started.service, line };
}
