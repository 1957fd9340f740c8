import type { Bus } from '@uar/bus';
import { readGovernanceStatus, readLedgerStatus, type AnswerOf } from '@uar/contracts';
import { busProblems } from '@uar/service';
import type {
  GatewayReadiness,
  ReadinessCode,
  ReadinessProblem,
  ReadinessView,
} from '../domain/readiness.js';

export interface ProbedParts {
  readonly bus: Bus;
  readonly catalogReady: () => boolean;
  /** Global scopes and agents. */
  readonly scopesReady: () => boolean;
  readonly acceptsReceipts: () => boolean;
  readonly tokenProblem: () => string | undefined;
  readonly governance: 'on' | 'off';
}

interface Found {
  /** What keeps every call from being served. */
  readonly missing: readonly ReadinessProblem[];
  /** What concerns single tenants, or nobody yet: it is said, and the others are served. */
  readonly noted: readonly ReadinessProblem[];
}

/** Asks everything that a call needs whether it is there. */
export class ProbedReadiness implements GatewayReadiness {
  private stopping = false;

  constructor(private readonly parts: ProbedParts) {}

  stop(): void {
    this.stopping = true;
  }

  async view(): Promise<ReadinessView> {
    const [policies, ledger] = await Promise.all([this.policies(), this.ledger()]);
    const missing = [...this.own(), ...policies.missing, ...ledger];
    return {
      ready: missing.length === 0,
      governance: policies.governance,
      problems: [...missing, ...policies.noted],
    };
  }

  private own(): readonly ReadinessProblem[] {
    const { bus, catalogReady, scopesReady, acceptsReceipts, tokenProblem } = this.parts;
    const token = tokenProblem();
    return [
      ...(this.stopping ? [problem('stopping', 'the gateway is stopping')] : []),
      ...busProblems(bus).map((detail) => problem('bus_unusable', detail)),
      ...(catalogReady() ? [] : [problem('catalog_unread', 'the catalog was not read yet')]),
      ...(scopesReady() ? [] : [problem('scopes_unread', 'agents and the run policy were not read yet')]),
      ...(acceptsReceipts() ? [] : [problem('receipts_unwritten', 'too many receipts are unwritten')]),
      ...(token === undefined ? [] : [problem('token_keys_missing', token)]),
    ];
  }

  private async policies(): Promise<Found & { readonly governance: 'on' | 'off' }> {
    const reply = await this.parts.bus.ask(readGovernanceStatus, {});
    if (reply.kind === 'answered') return { governance: reply.value.governance, ...foundIn(reply.value) };
    const missing = [problem('decider_unreachable', 'the governance-decider does not answer')];
    return { governance: this.parts.governance, missing, noted: [] };
  }

  private async ledger(): Promise<readonly ReadinessProblem[]> {
    const reply = await this.parts.bus.ask(readLedgerStatus, {});
    if (reply.kind === 'fault')
      return [problem('ledger_unreachable', 'the approval-service does not answer')];
    const { writable, problem: why } = reply.value;
    return writable ? [] : [problem('ledger_read_only', `the ledger cannot be written${because(why)}`)];
  }
}

/** While any tenant's set is loaded, one that is not is that tenant's trouble alone. */
function foundIn({ sets, problems = [], of_tenants = [] }: AnswerOf<typeof readGovernanceStatus>): Found {
  const unloaded = sets.filter(({ loaded }) => !loaded);
  const isNoneLoaded = unloaded.length === sets.length;
  const missingSets = unloaded.map(({ tenant, problem: why }) =>
    problem(
      isNoneLoaded ? 'no_policies_loaded' : 'tenant_policies_missing',
      `policies of tenant ${tenant} are not loaded${because(why)}`,
    ),
  );
  const refused = sets.filter(({ loaded, problem: why }) => loaded && why !== undefined);
  return {
    missing: [
      ...(sets.length === 0 ? [problem('no_policies_loaded', 'no policies are loaded')] : []),
      ...(isNoneLoaded ? missingSets : []),
      ...problems.map((detail) => problem('decider_not_deciding', detail)),
    ],
    noted: [
      ...(isNoneLoaded ? [] : missingSets),
      ...refused.map(({ tenant, problem: why }) =>
        problem('tenant_policies_refused', `newer policies of tenant ${tenant} were refused${because(why)}`),
      ),
      ...of_tenants.map((one) => problem('tenant_settings_unreadable', one.problem)),
    ],
  };
}

function problem(code: ReadinessCode, detail: string): ReadinessProblem {
  return { code, detail };
}

function because(why: string | undefined): string {
  return why === undefined ? '' : `: ${why}`;
}
