import { argumentsDigest, scanJson } from '@uar/json-text';
import type { CatalogEntry, Digest, RunId } from '@uar/contracts';
import type { Runs } from '../run/runs.js';
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
      readonly pdp: Pdp;
      readonly mostArgumentBytes: number;
    },
  ) {}

  async stage(call: RunningCall): Promise<Passed<StagedCall>> {
    const { toolName, argumentsJson } = call.proposed;
    const { tenant } = call.caller.principal;
    const entry = this.parts.catalog.find(tenant, toolName);
    if (entry === undefined) return over('unknown_tool', { cause: 'no_such_name' });
    call.entry = entry;
    const runId = this.runOf(call);
    if (runId === undefined) return this.refuse(call, entry, over('run_denied', { cause: 'not_its_run' }));
    call.caller = { ...call.caller, run_id: runId };
    if (isAgent(call)) return this.refuse(call, entry, over('run_denied', { cause: 'agent_not_registered' }));
    const unfit = this.shape(entry, argumentsJson);
    if (unfit !== undefined) return this.refuse(call, entry, unfit);
    call.argumentsDigest = argumentsDigest(argumentsJson);
    return passed({ entry, argumentsDigest: call.argumentsDigest });
  }

  private runOf({ caller, proposed }: RunningCall): RunId | undefined {
    if (proposed.runId === undefined) return caller.run_id;
    return this.parts.runs.own(caller.principal, proposed.runId);
  }

  private shape(entry: CatalogEntry, argumentsJson: string): Passed<never> | undefined {
    const tooMuch = this.boundsOf(argumentsJson);
    if (tooMuch !== undefined) return doesNotFit([{ path: '', message: tooMuch }]);
    const checked = this.parts.schemas.check(entry, argumentsJson);
    switch (checked.kind) {
      case 'fits':
        return undefined;
      case 'does_not_fit':
        return doesNotFit(checked.errors);
      case 'uncheckable':
        return over('quarantined', { cause: checked.cause });
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

/** No agent is registered in this release, so none is known to have the run's scope. */
function isAgent({ caller: { principal } }: RunningCall): boolean {
  return principal.kind === 'agent' || principal.agent_id !== undefined;
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
