import type { Caller, Principal } from '@uar/contracts';
import type { Clock } from '../call/ports.js';
import type { Access } from './access.js';

const rememberedMs = 5_000;

/** Who may see why a decision fell as it did. Remembered for a moment: every call's answer asks. */
export class Explanations {
  private readonly known = new WeakMap<Principal, { readonly may: boolean; readonly until: number }>();

  constructor(
    private readonly access: Access,
    private readonly clock: Clock,
  ) {}

  async mayRead(caller: Caller): Promise<boolean> {
    const known = this.known.get(caller.principal);
    if (known !== undefined && known.until > this.clock.now()) return known.may;
    const allowance = await this.access.may(caller, { kind: 'admin', action: 'explain' });
    const may = allowance.kind === 'allowed';
    if (allowance.kind !== 'unavailable')
      this.known.set(caller.principal, { may, until: this.clock.now() + rememberedMs });
    return may;
  }
}

/** Injection token of the Explanations. */
export const EXPLANATIONS = Symbol('uar.gateway.explanations');
