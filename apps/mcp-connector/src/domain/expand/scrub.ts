const shortest = 4;
const longestMessage = 500;

/** A message without the given secrets (those of at least 4 characters) and without control characters, cut to 500. */
export function scrub(text: string, secrets: readonly string[]): string {
  const oneLine = replaceSecrets(text, secrets)
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return oneLine.length <= longestMessage ? oneLine : `${oneLine.slice(0, longestMessage)}...`;
}

/** Longer secrets first, so that one that contains another leaves nothing of itself behind. */
export function replaceSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  const ordered = secrets
    .filter((secret) => secret.length >= shortest)
    .toSorted((a, b) => b.length - a.length);
  for (const secret of ordered) clean = clean.replaceAll(secret, '***');
  return clean;
}
