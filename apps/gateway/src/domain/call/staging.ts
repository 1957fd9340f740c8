import { argumentsDigest, scanJson } from '@uar/json-text';
import type { CatalogEntry, Digest } from '@uar/contracts';
import { leaves } from '../run/effective-run.js';
import { inRun, type Entered, type RunDenial, type Runs } from '../run/runs.js';
import { missing, over, passed, type Passed } from './ending.js';
import type { Catalog, Pdp, Schemas, ShapeError } from './ports.js';
import type { RunningCall } from './running-call.js';

/** A call whose name, run and arguments hold: what the PDP is asked about. */
export interface StagedCall {
  readonly entry: CatalogEntry;
  readonly argumentsDigest: Digest;
}

const argumentBounds = { nodes: 2_000, depth: 16 } as const;

/**
 * Stages 2 to 4. Whoever may not discover the tool must not learn from a refusal here that it exists: every refusal
 * after stage 2 asks the PDP whether the tool is visible, and is `unknown_tool` where it is not.
 */
export class Staging {
  constructor(
    private readonly parts: {
      readonly catalog: Catalog;
      readonly runs: Runs;
      readonly schemas: Schemas;
      readonly pdp: Pick<Pdp, 'discovers'>;
      readonly mostArgumentBytes: number;
    },
  ) {}

  async stage(call: RunningCall): Promise<Passed<StagedCall>> {
    const { toolName, argumentsJson } = call.proposed;
    const { tenant } = call.caller.principal;
    const found = this.parts.catalog.find(tenant, toolName);
    const isMeant = (found?.host === 'gateway') === (call.proposed.isReserved ?? false);
    const entry = isMeant ? found : undefined;
    const entered = this.parts.runs.enter(call.caller, call.proposed.runId);
    const met = entered instanceof Promise ? await entered : entered;
    if (isWithoutAgent(met)) return over('run_denied', { cause: met.cause });
    // Before the name: the run must not tell a name that does not exist from one that is hidden.
    if (met.kind === 'entered') call.caller = inRun(call.caller, met.frame);
    if (entry === undefined) return over('unknown_tool', { cause: 'no_such_name' });
    call.entry = entry;
    const outside = outsideOf(entry, met);
    if (outside !== undefined) return this.refuse(call, entry, outside);
    const unfit = await this.shape(entry, argumentsJson);
    if (unfit !== undefined) return this.refuse(call, entry, unfit);
    call.argumentsDigest = argumentsDigest(argumentsJson);
    return passed({ entry, argumentsDigest: call.argumentsDigest });
  }

  private async shape(entry: CatalogEntry, argumentsJson: string): Promise<Passed<never> | undefined> {
    const tooMuch = this.boundsOf(argumentsJson);
    if (tooMuch !== undefined) return doesNotFit([{ path: '', message: tooMuch }]);
    const checked = await this.parts.schemas.check(entry, argumentsJson);
    switch (checked.kind) {
      case 'fits':
        return undefined;
      case 'does_not_fit':
        return doesNotFit(checked.errors);
      case 'uncheckable':
        return over('quarantined', { cause: checked.cause });
      case 'unavailable':
        return missing(checked);
    }
  }

  private boundsOf(argumentsJson: string): string | undefined {
    const { mostArgumentBytes } = this.parts;
    if (argumentsJson.length > mostArgumentBytes || Buffer.byteLength(argumentsJson) > mostArgumentBytes)
      return `longer than ${mostArgumentBytes} bytes`;
    // Small texts cannot break the bounds: one level or one value needs at least two characters.
    if (argumentsJson.length <= argumentBounds.depth * 2) return undefined;
    const scan = scanJson(argumentsJson, { maxDepth: argumentBounds.depth, maxNodes: argumentBounds.nodes });
    if (scan.kind === 'ok') return undefined;
    return boundTexts[scan.problem];
  }

  private async refuse(
    call: RunningCall,
    entry: CatalogEntry,
    refusal: Passed<never>,
  ): Promise<Passed<never>> {
    const seen = await this.parts.pdp.discovers(call.caller, entry.facts);
    if (seen === 'visible') return refusal;
    if (seen === 'hidden') return over('unknown_tool', { cause: 'not_discoverable' });
    return missing(seen);
  }
}

/** Stage 3: how the run refuses the call; undefined where it takes it. */
function outsideOf({ name, facts }: CatalogEntry, met: Entered): Passed<never> | undefined {
  switch (met.kind) {
    case 'unavailable':
      return missing(met);
    case 'denied':
      return over('run_denied', { cause: met.cause });
    case 'entered':
      if (leaves(met.frame.effective, { name, server: facts.server })) return undefined;
      return over('run_denied', { cause: 'not_in_run' });
  }
}

const agentDenials: readonly RunDenial[] = ['agent_not_registered', 'agent_unreadable'];

/** Nothing can be asked about an agent that nobody registered: it is refused every name alike. */
function isWithoutAgent(met: Entered): met is Extract<Entered, { kind: 'denied' }> {
  return met.kind === 'denied' && agentDenials.includes(met.cause);
}

const boundTexts = {
  syntax: 'not valid JSON',
  duplicate_member: 'a member stands twice',
  too_deep: `nested deeper than ${argumentBounds.depth}`,
  too_many_nodes: `more than ${argumentBounds.nodes} values`,
} as const;

function doesNotFit(errors: readonly ShapeError[]): Passed<never> {
  return over('invalid_arguments', { details: { errors } });
}
