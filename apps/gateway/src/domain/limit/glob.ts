/** A test of names against patterns in which `*` stands for any characters; linear in the length of the name. */
export function matcherOf(patterns: readonly string[]): (name: string) => boolean {
  const parts = patterns.map((pattern) => pattern.split('*'));
  return (name) => parts.some((pieces) => isMatch(name, pieces));
}

function isMatch(name: string, [first = '', ...rest]: readonly string[]): boolean {
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
