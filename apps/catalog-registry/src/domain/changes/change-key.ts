import { createHash } from 'node:crypto';
import { Digest } from '@uar/contracts';
import type { DesiredServer } from '../servers/desired-servers.js';
import type { Review } from '../tools/pins.js';
import type { ListedTool } from '../tools/tool-list.js';

/** What makes one change of a definition differ from any other. */
export interface ChangeKey {
  readonly id: string;
  /** The reviewed definition; null where there is none, or where it is this very one. */
  readonly oldDigest: Digest | null;
}

/** The change that a listed tool is, against what was reviewed of its server. */
export function changeOf(
  { tenant, name: server }: Pick<DesiredServer, 'tenant' | 'name'>,
  { name, digest }: Pick<ListedTool, 'name' | 'digest'>,
  review: Review | undefined,
): ChangeKey {
  const reviewed = review?.digests.get(name);
  const oldDigest = reviewed === undefined || reviewed === digest ? null : Digest.parse(reviewed);
  const parts = createHash('sha256').update(JSON.stringify([tenant, server, name, oldDigest, digest]));
  return { id: `chg_${parts.digest('hex').slice(0, 32)}`, oldDigest };
}
