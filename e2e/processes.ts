import { readdirSync, readFileSync } from 'node:fs';

export interface FoundProcess {
  readonly pid: number;
  /** Arguments, separated by spaces. */
  readonly command: string;
  readonly environment: string;
}

/** Live processes whose environment or command line names this text: a data folder, for one. */
export function processesNaming(text: string): FoundProcess[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const isNamed = command !== '' && (environment.includes(text) || command.includes(text));
        return isNamed ? [{ pid: Number(pid), command, environment }] : [];
      } catch {
        // Gone, or not ours to read.
        return [];
      }
    });
}

/** Process ids of one service of a product. */
export function pidsOfService(dataDir: string, service: string): number[] {
  return processesNaming(dataDir)
    .filter(({ command }) => command.includes(`apps/${service}/dist/main.js`))
    .map(({ pid }) => pid);
}
