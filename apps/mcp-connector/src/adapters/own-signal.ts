/** The SDK never unhooks from a signal it was given, so each request gets one of its own. */
export async function withOwnSignal<T>(
  signal: AbortSignal,
  run: (own: AbortController) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const abort = (): void => own.abort(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await run(own);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
