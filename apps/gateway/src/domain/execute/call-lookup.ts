import { CallId, type Caller } from '@uar/contracts';
import { memberText } from '@uar/json-text';
import type { Access } from '../access/access.js';
import type { Unavailable } from '../call/ports.js';
import type { CallOwner, CallPipeline } from '../call/proposed-call.js';
import { callViewText } from '../view/call-view.js';
import { holderOf, readView } from '../view/read-view.js';
import { isOwn, type AttendedCalls } from './attended-calls.js';
import type { EndedCalls } from './ended-calls.js';
import type { KeptCalls } from './kept-calls.js';

interface View {
  readonly kind: 'found';
  readonly viewJson: string;
  readonly isPending: boolean;
}

export type Found = View | { readonly kind: 'not_found' } | Unavailable;

/** Calls by id: running here, ended here, or kept in the ledger. Another principal's call is not found without `readCalls`. */
export class CallLookup {
  constructor(
    private readonly parts: {
      readonly pipeline: CallPipeline;
      readonly ended: EndedCalls;
      readonly kept: KeptCalls;
      readonly access: Access;
      readonly attended: AttendedCalls;
    },
  ) {}

  async read(caller: Caller, id: string): Promise<Found> {
    const found = await this.find(caller, id);
    if (found.kind !== 'owned') return found;
    if (isOwn(caller, found.owner)) return this.whole(caller, found.view);
    if (found.owner.tenant !== caller.principal.tenant) return { kind: 'not_found' };
    const allowance = await this.parts.access.may(caller, { kind: 'admin', action: 'readCalls' });
    if (allowance.kind === 'unavailable') return allowance;
    return allowance.kind === 'allowed' ? found.view : { kind: 'not_found' };
  }

  /** With the result, where another gateway holds it. */
  private async whole(caller: Caller, view: View): Promise<Found> {
    if (holderOf(view.viewJson) === undefined) return view;
    const callId = readView(view.viewJson).callId;
    const attended = await this.parts.attended.attend({ caller, callId, deed: { kind: 'read' } });
    return attended.kind === 'found' ? { ...view, viewJson: attended.viewJson } : view;
  }

  /** Own calls only; one that has ended already stays as it ended. */
  async cancel(caller: Caller, id: string): Promise<Found> {
    const callId = CallId.safeParse(id);
    if (!callId.success) return { kind: 'not_found' };
    const attended = await this.parts.attended.attend({
      caller,
      callId: callId.data,
      deed: { kind: 'cancel' },
    });
    if (attended.kind === 'found') return viewOf(attended.viewJson, isPendingView(attended.viewJson));
    const found = await this.find(caller, id);
    if (found.kind !== 'owned') return found;
    return isOwn(caller, found.owner) ? found.view : { kind: 'not_found' };
  }

  private async find(
    caller: Caller,
    id: string,
  ): Promise<{ kind: 'owned'; owner: CallOwner; view: View } | { kind: 'not_found' } | Unavailable> {
    const callId = CallId.safeParse(id);
    if (!callId.success) return { kind: 'not_found' };
    const running = this.parts.pipeline.find(id);
    if (running !== undefined)
      return { kind: 'owned', owner: running.owner, view: viewOf(callViewText(running.state()), true) };
    const kept = await this.parts.kept.read(caller.principal.tenant, callId.data);
    if (kept.kind === 'found')
      return { kind: 'owned', owner: kept.owner, view: viewOf(kept.viewJson, isPendingView(kept.viewJson)) };
    const remembered = this.parts.ended.find(id);
    if (remembered === undefined) return kept;
    const text = callViewText(remembered.ended, { withoutResult: true });
    return { kind: 'owned', owner: remembered.owner, view: viewOf(text, false) };
  }
}

function viewOf(viewJson: string, isPending: boolean): View {
  return { kind: 'found', viewJson, isPending };
}

function isPendingView(viewJson: string): boolean {
  return memberText(viewJson, 'outcome') === '"pending"';
}

/** Injection token of the CallLookup. */
export const CALL_LOOKUP = Symbol('uar.gateway.call-lookup');
