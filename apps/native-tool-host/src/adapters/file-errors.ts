import type { FileProblem } from '../domain/files.js';

/** Carries a problem out of nested file work; never leaves the adapters. */
export class FileRefused extends Error {
  constructor(readonly problem: FileProblem) {
    super(problem);
  }
}

const problems: Readonly<Record<string, FileProblem>> = {
  ENOENT: 'not_found',
  ENOTDIR: 'not_found',
  ENAMETOOLONG: 'not_found',
  ELOOP: 'not_allowed',
  EXDEV: 'not_allowed',
  EISDIR: 'not_plain',
  ENXIO: 'not_plain',
  EACCES: 'not_permitted',
  EPERM: 'not_permitted',
  EROFS: 'not_permitted',
  ETXTBSY: 'not_permitted',
  ENOSPC: 'no_space',
  EDQUOT: 'no_space',
  EFBIG: 'too_large',
};

/** The problem behind an error of the file system; undefined for errors that are nobody's expected bad news. */
export function problemOf(error: unknown): FileProblem | undefined {
  if (error instanceof FileRefused) return error.problem;
  return problems[codeOf(error) ?? ''];
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
