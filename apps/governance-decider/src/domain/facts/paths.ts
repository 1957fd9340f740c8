/**
 * The first segment of a path after `.` and `..` are resolved, by text alone: `/workspace/../etc/x` is `/etc`. A path that
 * is not absolute has the root `.`, or `..` where it leaves its start; `~/x` has `~`, `C:\x` has `C:`. Nothing for text
 * that is no path.
 */
export function pathRoot(path: string): string | undefined {
  if (path.length === 0 || path.includes('\0')) return undefined;
  if (/^file:/i.test(path)) return fileUrlRoot(path);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return undefined;
  const drive = /^([A-Za-z]):(?:[\\/]|$)/.exec(path)?.[1];
  if (drive !== undefined) return `${drive.toUpperCase()}:`;
  if (path.startsWith('/')) return absoluteRoot(path);
  if (path.startsWith('~')) return path.split('/', 1)[0];
  return leavesItsStart(path) ? '..' : '.';
}

function absoluteRoot(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return `/${segments[0] ?? ''}`;
}

function leavesItsStart(path: string): boolean {
  let depth = 0;
  for (const segment of path.split(/[\\/]/)) {
    if (segment === '..') depth -= 1;
    else if (segment !== '' && segment !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

function fileUrlRoot(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.hostname !== '' && url.hostname !== 'localhost') return undefined;
  try {
    const decoded = decodeURIComponent(url.pathname);
    return decoded.includes('\0') ? undefined : absoluteRoot(decoded);
  } catch {
    return undefined;
  }
}
