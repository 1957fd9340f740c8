const atOnce = 16;

/** Some writes at a time; false when one of them failed. */
export async function inBatches<T>(
  items: readonly T[],
  write: (item: T) => Promise<boolean>,
): Promise<boolean> {
  let whole = true;
  for (let start = 0; start < items.length; start += atOnce) {
    const written = await Promise.all(items.slice(start, start + atOnce).map(write));
    whole &&= written.every((one) => one);
  }
  return whole;
}
