/** The running services, in this process or in processes of their own. */
export interface Plane {
  readonly gateway: string;
  readonly management: string;
  /** What keeps the whole from being ready, one clause each. */
  problems(): Promise<readonly string[]>;
  /** Orderly end in reverse order of the start. What is left at `deadlineAt` (epoch ms) is killed and named. */
  stop(deadlineAt: number): Promise<readonly string[]>;
}

/** Services of one row start together, after those of the rows above; they end in the opposite order. */
export const startRows = [
  ['approval-service'],
  ['catalog-registry', 'governance-decider'],
  ['mcp-connector', 'native-tool-host'],
  ['gateway'],
] as const;

/** Settles with `done`, or with undefined once the time is over. */
export async function before<T>(deadlineAt: number, done: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, deadlineAt - Date.now()));
  });
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}
