import {
  Item,
  type AnswerOf,
  type AskOf,
  type CatalogServer,
  type GrantTarget,
  type ItemMethod,
  type decideItem,
} from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import type { Access } from '../access/access.js';
import { decisionFacts } from '../call/decision-facts.js';
import { missing, over, passed, type Ending, type Passed } from '../call/ending.js';
import { interruptedEnd } from '../call/interruption.js';
import type { Permission } from '../call/permission.js';
import type { Stages } from '../call/pipeline.js';
import type { Catalog, Clock, Unavailable } from '../call/ports.js';
import type { RunningCall } from '../call/running-call.js';
import type { Dispatcher } from '../dispatch/dispatcher.js';
import type { Placed, Placement } from '../dispatch/placement.js';
import { leavesServer } from '../run/effective-run.js';
import { inRun, type Runs } from '../run/runs.js';
import { itemDispatch } from './item-dispatch.js';

export interface ItemPdp extends Access {
  /** `withinMs` bounds the wait. */
  decideItem(
    ask: AskOf<typeof decideItem>,
    withinMs: number,
  ): Promise<AnswerOf<typeof decideItem> | Unavailable>;
}

interface ItemStageParts {
  readonly catalog: Catalog;
  readonly runs: Runs;
  readonly pdp: ItemPdp;
  readonly placement: Placement;
  readonly dispatcher: Dispatcher;
  readonly clock: Pick<Clock, 'now'>;
  readonly mostParamBytes: number;
}

/** A request about one resource or prompt, whose run and size hold. */
interface StagedItem {
  readonly item: Item;
  readonly method: ItemMethod;
  readonly placed: Placed;
}

const decisionMs = 2_000;
const usualTimeoutMs = 30_000;
/** Without the time in which a client is asked. */
const longestMs = 100_000;

/**
 * The stages of a tool call that a request about an item has too: run, decision, grant, dispatch. Nothing is discovered apart from
 * what may be read, no human is asked, nothing of ours changes. Whoever may not read an item learns nothing else of it either:
 * every refusal that knows of it is made after the PDP allowed.
 */
export class ItemStages implements Stages {
  constructor(private readonly parts: ItemStageParts) {}

  async pass(call: RunningCall): Promise<Ending> {
    const staged = await this.stage(call);
    if (staged.kind === 'over') return staged.ending;
    const permitted = await this.permit(call, staged.value);
    if (permitted.kind === 'over') return permitted.ending;
    return this.parts.dispatcher.run(call, itemDispatch(call, staged.value), permitted.value);
  }

  private async stage(call: RunningCall): Promise<Passed<StagedItem>> {
    const { about, argumentsJson, runId } = call.proposed;
    if (about === undefined) throw new Error('a tool call among the items');
    const met = await this.parts.runs.enter(call.caller, runId);
    if (met.kind === 'unavailable') return missing(met);
    if (met.kind === 'denied') return over('run_denied', { cause: met.cause });
    call.caller = inRun(call.caller, met.frame);
    const { item, method } = about;
    if (!Item.safeParse(item).success || Buffer.byteLength(argumentsJson) > this.parts.mostParamBytes)
      return over('invalid_arguments', { cause: 'too_long' });
    call.argumentsDigest = argumentsDigest(argumentsJson);
    const server = this.parts.catalog.server(call.caller.principal.tenant, item.server);
    if (server?.host !== 'mcp') return over('policy_denied', { cause: 'no_such_server' });
    if (leavesServer(met.frame.effective, item.server))
      return passed({ item, method, placed: placedAt(server) });
    return this.refuse(call, item, over('run_denied', { cause: 'not_in_run' }));
  }

  private async permit(call: RunningCall, staged: StagedItem): Promise<Passed<Permission>> {
    const target = this.parts.placement.place(call, staged.placed, []);
    if (target === undefined)
      return this.refuse(call, staged.item, over('unavailable', { cause: 'no_host_instance' }));
    const decision = await this.decide(call, staged, target);
    if (decision.kind === 'unavailable') return missing(decision);
    const end = interruptedEnd(call);
    if (end !== undefined) return end;
    if (decision.kind === 'deny') return over('policy_denied', { cause: decision.cause });
    call.target = target;
    const { grant } = decision;
    return passed({ grant, target, regrant: (other) => this.regrant(call, staged, other) });
  }

  private async regrant(
    call: RunningCall,
    staged: StagedItem,
    target: GrantTarget,
  ): Promise<string | Unavailable> {
    const decision = await this.decide(call, staged, target);
    if (decision.kind === 'allow') return decision.grant;
    return decision.kind === 'deny' ? { kind: 'unavailable', cause: 'no_second_grant' } : decision;
  }

  private async decide(
    call: RunningCall,
    { item, method }: StagedItem,
    target: GrantTarget,
  ): Promise<AnswerOf<typeof decideItem> | Unavailable> {
    const { callId: call_id, caller, proposed, deadlineAt } = call;
    const params_digest = call.argumentsDigest ?? argumentsDigest(proposed.argumentsJson);
    const withinMs = Math.min(decisionMs, deadlineAt - this.parts.clock.now());
    const question = { call_id, caller, item, method, params_digest };
    const decision = await this.parts.pdp.decideItem({ question, target }, withinMs);
    if (decision.kind !== 'unavailable') call.decision = decisionFacts(decision);
    return decision;
  }

  /** Told only to somebody who may read the item. */
  private async refuse(call: RunningCall, item: Item, refusal: Passed<never>): Promise<Passed<never>> {
    const allowance = await this.parts.pdp.may(call.caller, { kind: 'item', item });
    switch (allowance.kind) {
      case 'allowed':
        return refusal;
      case 'denied':
        return over('policy_denied', { cause: 'not_readable' });
      case 'unavailable':
        return missing(allowance);
    }
  }
}

function placedAt({ name, timeout_ms: timeoutMs = usualTimeoutMs }: CatalogServer): Placed {
  return { host: 'mcp', server: name, timeoutMs: Math.min(timeoutMs, longestMs) };
}
