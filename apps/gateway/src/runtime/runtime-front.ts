import type { Caller, Item, ToolFacts } from '@uar/contracts';
import type { Unavailable } from '../domain/call/ports.js';
import type { Front, FrontItems, FrontTools, Presence } from '../domain/front/front.js';
import { leaves } from '../domain/run/effective-run.js';
import { inRun, type Runs } from '../domain/run/runs.js';
import { runtimeServer, type RuntimeCatalog } from './runtime-catalog.js';

interface RuntimeFrontParts {
  readonly catalog: RuntimeCatalog;
  readonly runs: Pick<Runs, 'enter'>;
  /** One verdict each, in order. */
  discover(
    caller: Caller,
    tools: readonly ToolFacts[],
  ): Promise<
    { readonly kind: 'discovered'; readonly tools: readonly { readonly kind: string }[] } | Unavailable
  >;
}

/** `/mcp/uar`: what this product itself can do, as tools. */
export class RuntimeFront implements Front {
  readonly path = '/mcp/uar';
  readonly isReserved = true;

  constructor(private readonly parts: RuntimeFrontParts) {}

  presence(): Presence {
    return 'there';
  }

  async tools(caller: Caller): Promise<FrontTools> {
    const met = await this.parts.runs.enter(caller);
    if (met.kind !== 'entered') return met;
    const { frame } = met;
    const entries = [...this.parts.catalog.entries(caller.principal.tenant).values()].filter(
      ({ name, facts: { server } }) => leaves(frame.effective, { name, server }),
    );
    const seen = await this.parts.discover(
      inRun(caller, frame),
      entries.map(({ facts }) => facts),
    );
    if (seen.kind === 'unavailable') return { kind: 'unavailable' };
    const visible = entries.filter((_, index) => seen.tools[index]?.kind === 'visible');
    return { kind: 'listed', definitions: visible.map((entry) => entry.definition_json) };
  }

  publicName(_caller: Caller, name: string): string {
    return name;
  }

  /** It has no resources and no prompts. */
  items(): Promise<FrontItems> {
    return Promise.resolve({ kind: 'listed', definitions: [], incomplete: [] });
  }

  item(_caller: Caller, kind: Item['kind'], id: string): Promise<Item> {
    return Promise.resolve({ kind, server: runtimeServer, id });
  }

  shows(): boolean {
    return false;
  }

  shownUri(_server: string, uri: string): string {
    return uri;
  }

  shownContents(_item: Item, _uri: string, resultJson: string): string {
    return resultJson;
  }
}
