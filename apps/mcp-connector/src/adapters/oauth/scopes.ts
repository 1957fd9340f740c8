import type { Hints } from '../../domain/account/ports.js';
import type { Discovered } from './discovery.js';
import type { OAuthServer, Tokens } from './oauth-types.js';

/**
 * Scopes to ask for, separated by spaces; undefined: none are named. Configured ones, else those that the upstream's
 * challenge names, else all of its resource (MCP 2025-11-25, "Scope Selection Strategy"); where more is wanted than the
 * earlier tokens permit, both.
 */
export function scopeFor(
  { auth }: OAuthServer,
  { scopes, metadata }: Discovered,
  { hints, earlier }: { readonly hints: Hints; readonly earlier: Tokens | undefined },
): string | undefined {
  const chosen = new Set(words(auth.scope ?? hints.scope ?? scopes?.join(' ')));
  if (hints.error === 'insufficient_scope')
    for (const scope of [...words(earlier?.scope), ...words(hints.scope)]) chosen.add(scope);
  const offered = metadata?.scopes_supported;
  const canRefresh = auth.flow === 'authorization_code' && offered?.includes('offline_access') === true;
  if (canRefresh) chosen.add('offline_access');
  return chosen.size === 0 ? undefined : [...chosen].join(' ');
}

function words(text: string | undefined): string[] {
  return (text ?? '').split(' ').filter((word) => word !== '');
}
