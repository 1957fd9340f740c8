/** Why a file was not read, as goes on after its name: "does not exist". */
export function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  return code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
}
