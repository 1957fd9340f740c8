/** What `work` comes to before `signal` aborts. `late`: it goes on, and nobody waits for it any more. */
export async function inTime<T>(
  work: Promise<T>,
  signal: AbortSignal,
): Promise<{ readonly kind: 'done'; readonly value: T } | { readonly kind: 'late' }> {
  let stop: () => void = () => undefined;
  const late = new Promise<{ readonly kind: 'late' }>((resolve) => {
    stop = () => resolve({ kind: 'late' });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    const done = work.then((value) => ({ kind: 'done' as const, value }));
    // Whoever gave up is not told of a fault later on.
    done.catch(() => undefined);
    return await Promise.race([done, late]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
