import type { CallOwner, EndedCall } from '../call/proposed-call.js';

export interface RememberedCall {
  readonly owner: CallOwner;
  /** Without its result. */
  readonly ended: EndedCall;
}

const mostRemembered = 4_096;

/** How the last calls of this gateway ended, without their results; the eldest is forgotten first. */
export class EndedCalls {
  private readonly byId = new Map<string, RememberedCall>();

  remember(owner: CallOwner, call: EndedCall): void {
    const ended: { -readonly [member in keyof EndedCall]: EndedCall[member] } = { ...call };
    delete ended.resultJson;
    this.byId.set(call.callId, { owner, ended });
    if (this.byId.size <= mostRemembered) return;
    const eldest = this.byId.keys().next().value;
    if (eldest !== undefined) this.byId.delete(eldest);
  }

  find(callId: string): RememberedCall | undefined {
    return this.byId.get(callId);
  }
}
