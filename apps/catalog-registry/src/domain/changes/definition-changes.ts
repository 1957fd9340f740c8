import type { DefinitionChange } from '@uar/contracts';
import type { Journal, Pause } from '../ports.js';
import { serverKey, type ServerId } from '../servers/desired-servers.js';
import type { ExaminedTool } from '../tools/examined-tools.js';
import type { Pins, Review } from '../tools/pins.js';
import type { Turns } from '../turns.js';
import { inBatches } from './batches.js';
import { changeOf, type ChangeKey } from './change-key.js';
import { definitionDiff } from './definition-diff.js';
import type { ReviewShelf } from './review-shelf.js';

export interface ChangesParts {
  readonly shelf: ReviewShelf;
  readonly pins: Pins;
  readonly turns: Turns;
  readonly journal: Journal;
  readonly pause: Pause;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface Found extends ChangeKey {
  readonly examined: ExaminedTool;
}

const mostOpen = 100;
const mostClosed = 100;

/**
 * The changes of definitions that reviewers have to look at. Whether one is open follows from the pins and the present
 * list alone, so what is kept of a change is written once and never contradicts them.
 */
export class DefinitionChanges {
  constructor(private readonly parts: ChangesParts) {}

  /** Keeps what reviewers will need of this list, once. False: it could not all be kept; asking again makes up for it. */
  async record(server: ServerId, tools: readonly ExaminedTool[]): Promise<boolean> {
    try {
      return await this.parts.turns.exclusive(keyOf(server), () => this.recordNow(server, tools));
    } catch (error) {
      this.parts.journal.warn({ err: error, server: keyOf(server) }, 'changes were not recorded');
      return false;
    }
  }

  /** The open ones, oldest first; undefined when the ledger is away. `tools`: the present list, where one is known. */
  async open(
    server: ServerId,
    tools: readonly ExaminedTool[] | undefined,
  ): Promise<readonly DefinitionChange[] | undefined> {
    if (tools !== undefined && !(await this.record(server, tools))) return undefined;
    const known = await this.parts.shelf.changes(server);
    if (known === undefined) return undefined;
    if (tools === undefined)
      return [...known.values()].filter((change) => this.decisionOn(server, change) === undefined);
    const ids = new Set(this.found(server, tools).map(({ id }) => id));
    return [...known.values()].filter(({ id }) => ids.has(id));
  }

  /** Undefined when the ledger is away, null when there is none. */
  async find(server: ServerId, id: string): Promise<DefinitionChange | null | undefined> {
    const known = await this.parts.shelf.changes(server);
    return known === undefined ? undefined : (known.get(id) ?? null);
  }

  /** What reviewers said of the new definition. */
  decisionOn(server: ServerId, change: DefinitionChange): 'accepted' | 'rejected' | undefined {
    const review = this.parts.pins.review(keyOf(server));
    if (review?.accepted.get(change.tool) === change.new_digest) return 'accepted';
    return review?.rejected.get(change.tool)?.includes(change.new_digest) === true ? 'rejected' : undefined;
  }

  forget(server: ServerId): Promise<void> {
    return this.parts.turns.exclusive(keyOf(server), () => this.parts.shelf.clear(server));
  }

  private async recordNow(server: ServerId, tools: readonly ExaminedTool[]): Promise<boolean> {
    const { shelf, pins } = this.parts;
    const known = await shelf.changes(server);
    if (known === undefined) return false;
    await this.keepTexts(server, tools, pins.review(keyOf(server)));
    const found = this.found(server, tools);
    const open = found.filter(({ id }) => known.has(id)).length;
    const fresh = found.filter(({ id }) => !known.has(id)).slice(0, Math.max(0, mostOpen - open));
    const kept = fresh.length === 0 || (await this.keepChanges(server, fresh));
    await this.prune(server, known, new Set(found.map(({ id }) => id)));
    return kept;
  }

  private found(server: ServerId, tools: readonly ExaminedTool[]): readonly Found[] {
    const review = this.parts.pins.review(keyOf(server));
    return tools.filter(isOpen).map((examined) => ({
      ...changeOf(server, examined.tool, review),
      examined,
    }));
  }

  private async keepTexts(
    server: ServerId,
    tools: readonly ExaminedTool[],
    review: Review | undefined,
  ): Promise<void> {
    const { shelf } = this.parts;
    const wanted: ExaminedTool['tool'][] = [];
    for (const { tool, finding } of tools) {
      if (finding === 'beyond' || review?.digests.get(tool.name) !== tool.digest) continue;
      if (!(await shelf.keepsText(server, tool))) wanted.push(tool);
    }
    await inBatches(wanted, (tool) => shelf.keepText(server, tool));
  }

  private async keepChanges(server: ServerId, fresh: readonly Found[]): Promise<boolean> {
    const { shelf, pause, now } = this.parts;
    const wanted = fresh.flatMap(({ oldDigest, examined }): [string, string][] =>
      oldDigest === null ? [] : [[examined.tool.name, oldDigest]],
    );
    const texts =
      wanted.length === 0 ? new Map<string, string>() : await shelf.texts(server, new Map(wanted));
    if (texts === undefined) return false;
    const changes: DefinitionChange[] = [];
    for (const one of fresh) {
      changes.push(shownChange(one, texts.get(one.examined.tool.name), new Date(now()).toISOString()));
      const due = pause();
      if (due !== undefined) await due;
    }
    return inBatches(changes, (change) => shelf.keepChange(server, change));
  }

  private async prune(
    server: ServerId,
    known: ReadonlyMap<string, DefinitionChange>,
    open: ReadonlySet<string>,
  ): Promise<void> {
    const closed = [...known.keys()].filter((id) => !open.has(id));
    const tooMany = closed.slice(0, Math.max(0, closed.length - mostClosed));
    for (const id of tooMany) await this.parts.shelf.dropChange(server, id);
  }
}

/** Under `off` nobody reviews. */
function isOpen({ finding, reviewed }: ExaminedTool): boolean {
  return reviewed && (finding === 'flagged' || finding === 'changed' || finding === 'unreviewed');
}

function shownChange(
  { id, examined, oldDigest }: Found,
  oldText: string | undefined,
  at: string,
): DefinitionChange {
  const { tool, flags } = examined;
  return {
    id,
    tool: tool.name,
    old_digest: oldDigest,
    new_digest: tool.digest,
    diff: definitionDiff({ oldText, newText: tool.text, wasReviewed: oldDigest !== null, flags }),
    at,
  };
}

function keyOf({ tenant, name }: ServerId): string {
  return serverKey(tenant, name);
}
