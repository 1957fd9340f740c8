import type { Bus } from '@uar/bus';
import {
  AgentBody,
  Scope,
  agentsNamespace,
  runPolicyKey,
  runPolicyNamespace,
  type TenantId,
} from '@uar/contracts';
import { SettingsReplica } from '@uar/settings';
import type { Log } from '@uar/telemetry';
import type { ScopeBook } from '../domain/run/ports.js';

/** A scope whose announcement was lost still holds within about a second. */
const pollMs = 1_000;

/** The global scopes and the registered agents, as the ledger holds them. */
export class ScopeSettings implements ScopeBook {
  readonly policies: SettingsReplica<typeof Scope>;
  readonly agents: SettingsReplica<typeof AgentBody>;

  constructor(bus: Bus, log: Pick<Log, 'debug' | 'info' | 'warn'>) {
    const read = { bus, log, pollMs };
    this.policies = new SettingsReplica({ ...read, namespace: runPolicyNamespace, schema: Scope });
    this.agents = new SettingsReplica({ ...read, namespace: agentsNamespace, schema: AgentBody });
  }

  get ready(): boolean {
    return this.policies.ready && this.agents.ready;
  }

  async start(): Promise<void> {
    await Promise.all([this.policies.start(), this.agents.start()]);
  }

  stop(): void {
    this.policies.stop();
    this.agents.stop();
  }

  policy(tenant: string) {
    return this.policies.get(tenant, runPolicyKey);
  }

  agent(tenant: string, id: string) {
    return this.agents.get(tenant, id);
  }

  onChange(listener: (tenant: TenantId) => void): () => void {
    const ends = [this.policies, this.agents].map((replica) =>
      replica.onChange(({ tenant }) => listener(tenant)),
    );
    return () => ends.forEach((end) => end());
  }
}
