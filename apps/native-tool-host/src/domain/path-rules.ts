/**
 * Components of an absolute path. Undefined for what is no plain absolute path: relative, with `..`, with NUL or with
 * text that no file name carries.
 */
export function componentsOf(path: string): readonly string[] | undefined {
  if (!path.startsWith('/') || path.includes('\0') || /\p{Surrogate}/u.test(path)) return undefined;
  const components = path.split('/').filter((component) => component !== '' && component !== '.');
  return components.includes('..') ? undefined : components;
}

/** Whether `path` is `folder` or below it, compared by whole components: `/a/bc` is not inside `/a/b`. */
export function isInside(path: readonly string[], folder: readonly string[]): boolean {
  return folder.length <= path.length && folder.every((component, at) => component === path[at]);
}
