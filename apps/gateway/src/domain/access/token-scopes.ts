/** What a token may be limited to (OAuth 2.1); Cedar decides in any case. */
export const tokenScopes = ['tools:read', 'tools:call', 'approvals:decide', 'admin'] as const;

export type TokenScope = (typeof tokenScopes)[number];

/** Who may call tools may know them: a token for calls alone opens sessions and reads what became of its calls. */
const contained: Readonly<Partial<Record<TokenScope, TokenScope>>> = { 'tools:read': 'tools:call' };

/** What of `needed` a token with the scopes `held` lacks. */
export function lackedScopes(held: readonly string[], needed: readonly TokenScope[]): readonly TokenScope[] {
  return needed.filter((scope) => !held.includes(scope) && !held.includes(contained[scope] ?? scope));
}
