/** Cedar's strings are Unicode text: a code unit outside any character cannot enter (its bindings throw). */
export function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}

export function toWellFormed(text: string): string {
  return text.toWellFormed();
}
