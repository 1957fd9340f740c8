import type { IncomingHttpHeaders } from 'node:http';
import { isRevision, statelessRevision } from '../revisions.js';
import { memberOf } from './member-of.js';
import { metaKeys } from './meta-keys.js';

interface Asked {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/**
 * Is this a request of the revision without sessions? It names it in its header, or its body names a revision that no session
 * speaks. What contradicts itself counts too: the revision has the answers to that.
 */
export function isStateless({ method, headers, body }: Asked): boolean {
  if (headers['mcp-protocol-version'] === statelessRevision) return true;
  return method === 'POST' && claimsOther(body);
}

/** Most bodies do not hold the key at all, and are parsed once, by who answers them. */
function claimsOther(body: Uint8Array): boolean {
  if (!Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(metaKeys.revision)) return false;
  try {
    const claimed = memberOf(
      memberOf(memberOf(JSON.parse(new TextDecoder().decode(body)), 'params'), '_meta'),
      metaKeys.revision,
    );
    return claimed !== undefined && !isRevision(claimed);
  } catch {
    return false;
  }
}
