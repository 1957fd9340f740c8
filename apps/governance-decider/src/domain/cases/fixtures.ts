import { Principal, type ApprovalFacts, type Caller, type ToolFacts } from '@uar/contracts';
import type { Uid } from '../cedar/cedar.js';
import { userUid } from '../cedar/entity-ids.js';
import type { Directory, TenantFacts } from '../question/directory.js';
import {
  FixtureFacts,
  type CaseFile,
  type Question,
  type TenantChange,
  type ToolChange,
} from './case-file.js';

const runId = `run_${'0'.repeat(32)}`;

/** The people, agents, tools and tenants of a case file, as one question of it sees them. */
export class Fixtures {
  readonly now: number;

  constructor(
    private readonly file: CaseFile,
    private readonly question: Question,
  ) {
    this.now = Date.parse(question.at ?? file.at);
  }

  get profile(): CaseFile['profile'] {
    return this.question.profile ?? this.file.profile;
  }

  caller(name: string, agent?: string): Caller {
    const ip = this.question.ip ?? this.file.ip;
    return {
      principal: this.principal(name, agent),
      channel: this.question.channel ?? this.file.channel,
      ...(ip === undefined ? {} : { ip }),
      run_id: runId as Caller['run_id'],
      session_id: '',
    };
  }

  principal(name: string, agent?: string): ApprovalFacts['approvers'][number] {
    const fixture = this.file.principals[name];
    if (fixture === undefined) throw new Error(`no principal ${name}`);
    const { subject, tenant, kind, roles, groups, capabilities, mfa, claims } = fixture;
    const agentId = agent ?? fixture.agent;
    return Principal.parse({
      issuer: 'https://issuer.example',
      subject,
      tenant,
      kind,
      roles,
      groups,
      scopes: [],
      mfa,
      claims,
      expires_at: fixture.expired ? this.now - 60_000 : this.now + 3_600_000,
      ...(agentId === undefined ? {} : { agent_id: agentId }),
      ...(capabilities === undefined ? {} : { capabilities }),
    });
  }

  user(name: string): Uid {
    const { tenant, subject } = this.principal(name);
    return userUid(tenant, subject);
  }

  tool(name: string, change: ToolChange = {}): ToolFacts {
    const fixture = this.file.tools[name];
    if (fixture === undefined) throw new Error(`no tool ${name}`);
    return toolFacts(fixture, change);
  }

  tools(): readonly ToolFacts[] {
    return Object.keys(this.file.tools).map((name) => this.tool(name));
  }

  directory(): Directory {
    const { file, question } = this;
    return {
      revision: 0,
      tenant: (tenant) =>
        tenantFacts({ ...file.tenants[tenant], ...withoutAbsent(question.tenants?.[tenant]) }),
      agent: (tenant, id) => {
        const found = file.agents[id];
        if (found === undefined || found.tenant !== tenant) return undefined;
        return {
          owner: found.owner,
          maxRisk: found.max_risk,
          suspended: found.suspended || (question.suspended?.includes(id) ?? false),
          ...(found.class === undefined ? {} : { class: found.class }),
        };
      },
      isUserSuspended: (tenant, subject) =>
        Object.entries(file.principals).some(
          ([name, person]) =>
            person.tenant === tenant &&
            person.subject === subject &&
            (person.suspended || (question.suspended?.includes(name) ?? false)),
        ),
    };
  }
}

function tenantFacts(fixture: TenantChange): TenantFacts {
  return {
    killSwitch: fixture.kill_switch ?? false,
    enabledFamilies: fixture.families ?? ['mcp'],
    maxUnattendedRisk: fixture.max_unattended_risk ?? 1,
    approvalNeedsMfa: fixture.approval_needs_mfa ?? false,
    approvalNeedsInteractive: fixture.approval_needs_interactive ?? false,
  };
}

const vouched = {
  source: 'mcp',
  family: 'mcp',
  capabilities: ['read'],
  risk: 0,
  read_only: true,
  destructive: false,
  idempotent: true,
  open_world: false,
  hints_trusted: true,
  enabled: true,
  pinned: true,
  quorum: 1,
  labels: [],
  secret_pointers: [],
  definition_digest: `sha256:${'0'.repeat(64)}`,
};

function toolFacts(fixture: ToolChange, change: ToolChange): ToolFacts {
  const extractors = {
    paths: [],
    hosts: [],
    recipients: [],
    ...withoutAbsent(fixture.extractors),
    ...withoutAbsent(change.extractors),
  };
  return FixtureFacts.parse({ ...vouched, ...withoutAbsent(fixture), ...withoutAbsent(change), extractors });
}

function withoutAbsent(given: object = {}): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
