import type { Bus } from '@uar/bus';
import { explainCall, readGovernanceStatus, simulateCalls, type AnswerOf, type AskOf } from '@uar/contracts';
import type { Unavailable } from '../../domain/call/ports.js';
import type { ExplainingPdp, Ruling } from '../../domain/explain/explanation.js';
import type { SimulatingPdp } from '../../domain/explain/simulation.js';
import { unavailable } from './pdp.js';

/** The governance-decider over the bus, for whoever asks why. */
export class BusExplainingPdp implements ExplainingPdp, SimulatingPdp {
  constructor(private readonly bus: Bus) {}

  async explain(ask: AskOf<typeof explainCall>): Promise<AnswerOf<typeof explainCall> | Unavailable> {
    const reply = await this.bus.ask(explainCall, ask);
    return reply.kind === 'answered' ? reply.value : unavailable('pdp', reply);
  }

  async simulate(
    ask: AskOf<typeof simulateCalls>,
  ): Promise<AnswerOf<typeof simulateCalls> | { readonly kind: 'too_large' }> {
    const reply = await this.bus.ask(simulateCalls, ask);
    if (reply.kind === 'answered') return reply.value;
    return reply.fault === 'too_large' ? { kind: 'too_large' } : unavailable('pdp', reply);
  }

  async ruling(tenant: string): Promise<Ruling | Unavailable> {
    const reply = await this.bus.ask(readGovernanceStatus, {});
    if (reply.kind === 'fault') return unavailable('pdp', reply);
    const { governance, sets } = reply.value;
    const set = sets.find((one) => one.tenant === tenant);
    return { kind: 'ruling', governance, policyVersion: set?.version ?? 'none' };
  }
}
