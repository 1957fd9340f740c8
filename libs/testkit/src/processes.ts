import { readdirSync, readFileSync } from 'node:fs';

export interface FoundProcess {
  readonly pid: number;
  /** Arguments, separated by spaces. */
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Live processes whose environment or command line names this text: a data folder, for one. */
export function processesNaming(text: string): FoundProcess[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .flatMap((pid) => {
      try {
        const environ = readFileSync(`/proc/${pid}/environ`, 'utf8');
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const isNamed = command !== '' && (environ.includes(text) || command.includes(text));
        return isNamed ? [{ pid: Number(pid), command, environment: environmentOf(environ) }] : [];
      } catch {
        // Gone, or not ours to read.
        return [];
      }
    });
}

/** Process ids of one service of a product on NATS. */
export function pidsOf({ dataDir }: { readonly dataDir: string }, service: string): number[] {
  return processesNaming(dataDir)
    .filter(({ command }) => command.includes(`apps/${service}/dist/main.js`))
    .map(({ pid }) => pid);
}

/** The one that the launcher started. Throws where there is none: a signal to process 0 reaches all that this process belongs to. */
export function pidOf(product: { readonly dataDir: string }, service: string): number {
  const [pid] = pidsOf(product, service);
  if (pid === undefined) throw new Error(`no ${service} runs`);
  return pid;
}

function environmentOf(text: string): Record<string, string> {
  const pairs = text.split('\0').filter(Boolean);
  return Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s)));
}
