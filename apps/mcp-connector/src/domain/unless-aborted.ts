/** What the promise brings; undefined once the signal aborts, and where it has aborted already. Listens no longer than it waits. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  let abort = (): void => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    abort = () => resolve(undefined);
    signal.addEventListener('abort', abort, { once: true });
  });
  return await Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort));
}
