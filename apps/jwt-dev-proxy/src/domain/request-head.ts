/** What arrived before any body: Node's `rawHeaders`, so that repeated headers are seen. */
export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly rawHeaders: readonly string[];
  readonly upgrade: boolean;
}

/** Every value of a header, in order of arrival. `name` in lower case. */
export function headerValues(head: RequestHead, name: string): readonly string[] {
  return head.rawHeaders.filter(
    (_value, at) => at % 2 === 1 && head.rawHeaders[at - 1]?.toLowerCase() === name,
  );
}

/** Names in lower case that `Connection` lists: they are for this hop only (RFC 9110 7.6.1). */
export function connectionNames(head: RequestHead): ReadonlySet<string> {
  const names = headerValues(head, 'connection').flatMap((value) => value.split(','));
  return new Set(names.map((name) => name.trim().toLowerCase()));
}
