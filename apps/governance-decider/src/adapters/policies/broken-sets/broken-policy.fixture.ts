/** One way to break a set: the text of `t/x`, with `§` before what is wrong. */
export interface BrokenPolicy {
  readonly name: string;
  readonly text: string;
  /** Part of the message. */
  readonly says: string;
  /** The nearest match, where what is wrong is a name. */
  readonly meant?: string;
}

export const rows = (
  list: readonly (readonly [name: string, text: string, says: string, meant?: string])[],
): readonly BrokenPolicy[] =>
  list.map(([name, text, says, meant]) => ({ name, text, says, ...(meant === undefined ? {} : { meant }) }));

export const head = 'permit (principal, action == UAR::Action::"callTool", resource)';
export const when = (condition: string) => `${head}\nwhen { ${condition} };`;
export const forbid = (scope: string, condition: string) =>
  `forbid (principal, action in UAR::Action::"invoke", ${scope})\nunless { ${condition} };`;
export const inFs = 'resource in UAR::Server::"acme/fs"';
