/** Whether what stands under a tag of a bag stands at a secret pointer or below it. What is doubtful is secret. */
export function isSecret(tag: string, secretPointers: readonly string[]): boolean {
  if (secretPointers.length === 0) return false;
  const spellings = [tag, tag.replace(/:(?:number|boolean)$/, '')].map(steps);
  return secretPointers.some((pointer) => {
    const secret = steps(pointer);
    return spellings.some((path) => secret.every((step, at) => path.length > at && fits(path[at], step)));
  });
}

/** An element of a list stands under `*`, whichever it is. */
function fits(step: string | undefined, secret: string): boolean {
  return step === secret || step === '*' || secret === '*';
}

/** A literal `*` in a name is `~2` in tags, and itself in pointers. */
function steps(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
