/** Why a file was not read or changed. Nothing changed in any of these cases. */
export type FileProblem =
  /** Outside the allowed folders, inside a guarded one, or not a path that could be inside. */
  | 'not_allowed'
  | 'not_found'
  /** A folder, link, pipe, device, or a file with further names (hard links). */
  | 'not_plain'
  | 'too_large'
  /** The operating system refuses it to this process. */
  | 'not_permitted'
  /** Others changed the file at every try. */
  | 'contended'
  | 'no_space';

export type FileRead =
  | { readonly kind: 'read'; readonly bytes: Uint8Array }
  | { readonly kind: 'problem'; readonly problem: FileProblem };

/** The new content of a file, or why it should stay as it is. */
export type Edited =
  | { readonly kind: 'replace'; readonly bytes: Uint8Array }
  | { readonly kind: 'keep'; readonly reason: string };

export interface Edit {
  /** Whether the new content depends on the present one; if so nothing that was written between is lost. */
  readonly readsCurrent: boolean;
  /** Pure. `current` is undefined where there is no file, or where `readsCurrent` is false. */
  make(current: Uint8Array | undefined): Edited;
}

export type FileChange =
  | { readonly kind: 'changed'; readonly bytes: number }
  | { readonly kind: 'kept'; readonly reason: string }
  | { readonly kind: 'problem'; readonly problem: FileProblem };

/** Port to the files that tools may touch. Paths are absolute. */
export interface Files {
  read(path: string, signal: AbortSignal): Promise<FileRead>;
  /** All or nothing: readers see the old content or the new one. */
  change(path: string, edit: Edit, signal: AbortSignal): Promise<FileChange>;
}
