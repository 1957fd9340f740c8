import type { Bus } from '@uar/bus';
import {
  agentsNamespace,
  runPolicyKey,
  runPolicyNamespace,
  type AgentBody,
  type Principal,
  type ProfileName,
  type Scope,
} from '@uar/contracts';
import { adminReceipt, writeKept } from '@uar/settings';
import type { AgentBook, ScopeWritten } from '../domain/agent/agents.js';
import type { ScopeSettings } from './scope-settings.js';

interface Change {
  readonly namespace: string;
  readonly key: string;
  /** Null removes. */
  readonly value: AgentBody | Scope | null;
  /** What the receipt says was done. */
  readonly action: string;
  /** As it is held here; the ledger corrects it. */
  readonly revision: number;
}

const mostAttempts = 5;

/** Writes over what the ledger holds at that moment, and holds the result before it is answered. */
export class ScopeWrites implements AgentBook {
  constructor(
    private readonly parts: {
      readonly bus: Bus;
      readonly held: ScopeSettings;
      readonly profile: ProfileName;
      readonly governance: 'on' | 'off';
      readonly now: () => number;
    },
  ) {}

  get ready(): boolean {
    return this.parts.held.ready;
  }

  agents(tenant: string) {
    return this.parts.held.agents.of(tenant);
  }

  policy(tenant: string) {
    return this.parts.held.policy(tenant);
  }

  async putAgent(principal: Principal, id: string, body: AgentBody): Promise<ScopeWritten> {
    return this.write(principal, this.agentChange(principal, id, { value: body, verb: 'put' }));
  }

  async removeAgent(principal: Principal, id: string): Promise<ScopeWritten> {
    return this.write(principal, this.agentChange(principal, id, { value: null, verb: 'delete' }));
  }

  async putPolicy(principal: Principal, scope: Scope): Promise<ScopeWritten> {
    const namespace = runPolicyNamespace;
    const revision = this.parts.held.policies.get(principal.tenant, runPolicyKey)?.revision ?? 0;
    const change = { namespace, key: runPolicyKey, value: scope, action: 'settings.put run-policy' };
    return this.write(principal, { ...change, revision });
  }

  private agentChange(
    { tenant }: Principal,
    id: string,
    { value, verb }: { readonly value: AgentBody | null; readonly verb: string },
  ): Change {
    const revision = this.parts.held.agents.get(tenant, id)?.revision ?? 0;
    return { namespace: agentsNamespace, key: id, value, action: `agent.${verb} ${id}`, revision };
  }

  private async write(principal: Principal, change: Change): Promise<ScopeWritten> {
    const { bus, profile, governance, now } = this.parts;
    const { namespace, key, value, action } = change;
    const { tenant } = principal;
    let { revision } = change;
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      if (value === null && revision === 0) return { kind: 'not_found' };
      const receipt = adminReceipt(principal, action, { profile, governance, at: now() });
      const written = await writeKept(bus, { tenant, namespace, key, value, if_revision: revision, receipt });
      if (written.kind === 'unavailable') return written;
      if (written.kind === 'written') {
        await this.refresh(namespace);
        return { kind: 'written', created: revision === 0 };
      }
      revision = written.revision;
    }
    return { kind: 'contended' };
  }

  private refresh(namespace: string): Promise<void> {
    const { agents, policies } = this.parts.held;
    return namespace === agentsNamespace ? agents.refresh() : policies.refresh();
  }
}
