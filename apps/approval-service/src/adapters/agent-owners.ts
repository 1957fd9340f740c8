import { agentsNamespace } from '@uar/contracts';
import type { Ledger } from '@uar/ledger';
import { z } from 'zod';
import type { AgentOwners } from '../domain/ports.js';

const RegisteredAgent = z.looseObject({ owner: z.string().min(1).max(256) });

/** Owners as the agents API wrote them. */
export class SettingsAgentOwners implements AgentOwners {
  constructor(private readonly ledger: Pick<Ledger, 'readSettings'>) {}

  async read() {
    const { settings } = await this.ledger.readSettings({ namespace: agentsNamespace });
    const owners = new Map<string, string>();
    for (const { tenant, key, value } of settings) {
      const agent = RegisteredAgent.safeParse(value);
      if (agent.success) owners.set(`${tenant}/${key}`, agent.data.owner);
    }
    return (tenant: string, agentId: string) => owners.get(`${tenant}/${agentId}`);
  }
}
