import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** `<data dir>/endpoints.json`: where the running gateway, proxy and management listener are. */
export const Endpoints = z.strictObject({
  gateway: z.url(),
  /** Absent where no jwt-dev-proxy runs. */
  proxy: z.url().optional(),
  management: z.url(),
  pid: z.number().int().positive(),
});
export type Endpoints = z.output<typeof Endpoints>;

export function endpointsFile(dataDir: string): string {
  return join(dataDir, 'endpoints.json');
}

/** Whole or not at all: a reader never sees half a file. */
export function writeEndpoints(dataDir: string, endpoints: Endpoints): void {
  const draft = `${endpointsFile(dataDir)}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${JSON.stringify(endpoints, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(draft, endpointsFile(dataDir));
}

/** Undefined where nothing runs. */
export function readEndpoints(dataDir: string): Endpoints | undefined {
  try {
    const parsed = Endpoints.safeParse(JSON.parse(readFileSync(endpointsFile(dataDir), 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the file if it is this process's own. */
export function removeEndpoints(dataDir: string, pid: number): void {
  if (readEndpoints(dataDir)?.pid === pid) rmSync(endpointsFile(dataDir), { force: true });
}
