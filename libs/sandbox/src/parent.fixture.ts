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

/** Runs an ES module as a process of its own; `line` settles with its next line of output. */
export async function runModule(
  source: string,
): Promise<{ parent: ServiceProcess; line: () => Promise<string> }> {
  const lines: string[] = [];
  let waiting: ((line: string) => void) | undefined;
  const started = await launchService({
    command: process.execPath,
    args: ['--input-type=module', '-e', source],
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
