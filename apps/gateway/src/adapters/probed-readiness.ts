import type { Bus } from '@uar/bus';
import { readGovernanceStatus, readLedgerStatus } from '@uar/contracts';
import { busProblems } from '@uar/service';
import type { GatewayReadiness, ReadinessView } from '../domain/readiness.js';

export interface ProbedParts {
  readonly bus: Bus;
  readonly catalogReady: () => boolean;
  /** Global scopes and agents. */
  readonly scopesReady: () => boolean;
  readonly acceptsReceipts: () => boolean;
  readonly tokenProblem: () => string | undefined;
  readonly governance: 'on' | 'off';
}

/** Asks everything that a call needs whether it is there. */
export class ProbedReadiness implements GatewayReadiness {
  private stopping = false;

  constructor(private readonly parts: ProbedParts) {}

  stop(): void {
    this.stopping = true;
  }

  async view(): Promise<ReadinessView> {
    const { bus, catalogReady, scopesReady, acceptsReceipts, tokenProblem } = this.parts;
    const [pdp, ledger] = await Promise.all([this.pdp(), this.ledger()]);
    const token = tokenProblem();
    const problems = [
      ...(this.stopping ? ['the gateway is stopping'] : []),
      ...busProblems(bus),
      ...(catalogReady() ? [] : ['the catalog was not read yet']),
      ...(scopesReady() ? [] : ['agents and the run policy were not read yet']),
      ...pdp.missing,
      ...ledger,
      ...(acceptsReceipts() ? [] : ['too many receipts are unwritten']),
      ...(token === undefined ? [] : [token]),
    ];
    // A refused edit is no reason to stop serving with the set in force; it is still said.
    return {
      ready: problems.length === 0,
      governance: pdp.governance,
      problems: [...problems, ...pdp.refused],
    };
  }

  private async pdp(): Promise<{ governance: 'on' | 'off'; missing: string[]; refused: string[] }> {
    const reply = await this.parts.bus.ask(readGovernanceStatus, {});
    if (reply.kind === 'fault') {
      const missing = ['the governance-decider does not answer'];
      return { governance: this.parts.governance, missing, refused: [] };
    }
    const { governance, sets, problems = [] } = reply.value;
    const why = (problem: string | undefined) => (problem === undefined ? '' : `: ${problem}`);
    return {
      governance,
      missing: [
        ...sets
          .filter(({ loaded }) => !loaded)
          .map(({ tenant, problem }) => `policies of tenant ${tenant} are not loaded${why(problem)}`),
        ...problems,
      ],
      refused: sets
        .filter(({ loaded, problem }) => loaded && problem !== undefined)
        .map(({ tenant, problem }) => `newer policies of tenant ${tenant} were refused${why(problem)}`),
    };
  }

  private async ledger(): Promise<string[]> {
    const reply = await this.parts.bus.ask(readLedgerStatus, {});
    if (reply.kind === 'fault') return ['the approval-service does not answer'];
    const { writable, problem } = reply.value;
    return writable ? [] : [`the ledger cannot be written${problem === undefined ? '' : `: ${problem}`}`];
  }
}
