import { agentOf, type Principal, type RecordedDirectory } from '@uar/contracts';
import type { AgentFacts, Directory, TenantFacts } from '../question/directory.js';

/** Answers of the directory at one moment, as it gave them. */
export interface DirectoryFacts {
  readonly tenants: ReadonlyMap<string, TenantFacts>;
  readonly agents: ReadonlyMap<string, AgentFacts>;
  readonly suspended: readonly string[];
}

/** What questions of these principals in these tenants read of the directory. */
export function directoryFacts(
  directory: Directory,
  tenants: readonly string[],
  principals: readonly Principal[],
): DirectoryFacts {
  const known = new Map<string, TenantFacts>();
  for (const tenant of tenants) if (!known.has(tenant)) known.set(tenant, directory.tenant(tenant));
  const agents = new Map<string, AgentFacts>();
  const suspended: string[] = [];
  for (const principal of principals) {
    const { tenant, kind, subject } = principal;
    const agentId = agentOf(principal);
    const agent = agentId === undefined ? undefined : directory.agent(tenant, agentId);
    if (agent !== undefined) agents.set(`${tenant}/${String(agentId)}`, agent);
    if (kind === 'user' && directory.isUserSuspended(tenant, subject)) suspended.push(`${tenant}/${subject}`);
  }
  return { tenants: known, agents, suspended };
}

export function recordedDirectory({ tenants, agents, suspended }: DirectoryFacts): RecordedDirectory {
  const ofTenants = [...tenants].map(([tenant, facts]): [string, RecordedDirectory['tenants'][string]] => [
    tenant,
    { ...facts, enabledFamilies: [...facts.enabledFamilies] },
  ]);
  return {
    tenants: Object.fromEntries(ofTenants),
    agents: Object.fromEntries(agents),
    suspended: [...suspended],
  };
}

/** The directory as it answered when a decision was made. What was not asked then throws: nothing is guessed. */
export class RecalledDirectory implements Directory {
  readonly revision = 0;

  constructor(private readonly facts: DirectoryFacts) {}

  static from({ tenants, agents, suspended }: RecordedDirectory): RecalledDirectory {
    const known = Object.entries(agents).map(
      ([id, { class: agentClass, ...facts }]): [string, AgentFacts] => [
        id,
        agentClass === undefined ? facts : { ...facts, class: agentClass },
      ],
    );
    return new RecalledDirectory({
      tenants: new Map(Object.entries(tenants)),
      agents: new Map(known),
      suspended,
    });
  }

  tenant(tenant: string): TenantFacts {
    const facts = this.facts.tenants.get(tenant);
    if (facts === undefined) throw new Error(`nothing was recorded of tenant ${tenant}`);
    return facts;
  }

  agent(tenant: string, id: string): AgentFacts | undefined {
    return this.facts.agents.get(`${tenant}/${id}`);
  }

  isUserSuspended(tenant: string, subject: string): boolean {
    return this.facts.suspended.includes(`${tenant}/${subject}`);
  }
}
