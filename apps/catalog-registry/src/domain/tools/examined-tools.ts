import { mergedOverride, type DefinitionFlag } from '@uar/catalog';
import type { DesiredServer } from '../servers/desired-servers.js';
import type { Review } from './pins.js';
import type { ListedTool, ToolList } from './tool-list.js';

/**
 * Why a reviewer should look at a tool. `beyond`: no review helps · `flagged`: whoever said what of the server, this
 * definition is suspicious · `rejected`: a reviewer refused this very definition · `changed` and `unreviewed`: it
 * differs from the reviewed one, or there is none.
 */
export type Finding = 'beyond' | 'flagged' | 'rejected' | 'changed' | 'unreviewed';

export interface ExaminedTool {
  readonly tool: ListedTool;
  readonly flags: readonly DefinitionFlag[];
  readonly finding?: Finding;
  /** Somebody reviews the tools of its server. */
  readonly reviewed: boolean;
  /** It is kept in quarantine. */
  readonly held: boolean;
}

export interface Examination {
  /** What was reviewed of the server; absent: nothing yet. */
  readonly review: Review | undefined;
  /** A reader would take this raw name for that of another tool. */
  readonly isTwin: (rawName: string) => boolean;
}

/** The tools of a list that the operator lets in, each with what the pins say of it. */
export function examineTools(
  server: DesiredServer,
  list: ToolList,
  { review, isTwin }: Examination,
): readonly ExaminedTool[] {
  return list.tools
    .filter((tool) => offered(server, tool))
    .map((tool) => {
      const flags = isTwin(tool.definition.name) ? [...tool.flags, twinFlag] : tool.flags;
      const finding = findingOf(server, { tool, flags }, review);
      return {
        tool,
        flags,
        ...(finding === undefined ? {} : { finding }),
        reviewed: server.config.pin !== 'off',
        held: finding !== undefined && isHeld(server, finding, flags),
      };
    });
}

const twinFlag: DefinitionFlag = { kind: 'name', message: 'looks like another tool' };

function offered({ config }: DesiredServer, { definition: { name } }: ListedTool): boolean {
  const { allow, deny, overrides } = config.tools;
  if (allow !== undefined && !allow.includes(name)) return false;
  return deny?.includes(name) !== true && mergedOverride(overrides, name).hidden !== true;
}

function findingOf(
  { config }: DesiredServer,
  { tool, flags }: Pick<ExaminedTool, 'tool' | 'flags'>,
  review: Review | undefined,
): Finding | undefined {
  const { name, digest } = tool;
  if (flags.some(({ kind }) => kind === 'bound')) return 'beyond';
  if (config.pin === 'off') return flags.length > 0 ? 'flagged' : undefined;
  if (review?.accepted.get(name) === digest) return undefined;
  if (review?.rejected.get(name)?.includes(digest) === true) return 'rejected';
  if (flags.length > 0) return 'flagged';
  // Under `warn` a list that could not be taken as reviewed is no reason to warn of each tool.
  if (review === undefined) return config.pin === 'block' ? 'unreviewed' : undefined;
  const known = review.digests.get(name);
  if (known === digest) return undefined;
  return known === undefined ? 'unreviewed' : 'changed';
}

function isHeld({ config }: DesiredServer, finding: Finding, flags: readonly DefinitionFlag[]): boolean {
  switch (finding) {
    case 'beyond':
    case 'rejected':
      return true;
    case 'flagged':
      // Nobody reviews under `off`: what deceives about its name stays out all the same.
      return config.pin !== 'off' || flags.some(({ kind }) => kind === 'name');
    case 'changed':
    case 'unreviewed':
      return config.pin === 'block';
  }
}
