import type { Caller, ProfileName, ToolFacts } from '@uar/contracts';
import { entityRef, type CedarQuestion, type CedarValue, type Entity, type Uid } from '../cedar/cedar.js';
import { roleUid } from '../cedar/entity-ids.js';
import { readArguments, type ArgumentFacts, type ArgumentReader } from '../facts/argument-facts.js';
import type { PolicySet } from '../policy/policy-set.js';
import type { ToolAction } from '../policy/scope.js';
import { toolReads } from '../policy/tool-reads.js';
import { environment, factsValue } from './context.js';
import type { Directory } from './directory.js';
import { argumentsValue, bagEntities, placeOf, tenantEntity, toolEntity } from './entities.js';
import { subjectsOf, type Subjects } from './subjects.js';

type KnownSubjects = Extract<Subjects, { kind: 'known' }>;

/** The votes as `callToolApproved` sees them: only those of approvers who may approve now. */
export interface ValidVotes {
  readonly approvers: readonly Uid[];
  readonly roles: readonly Uid[];
  readonly ageMs: number;
}

export interface ToolAsk {
  readonly caller: Caller;
  readonly tool: ToolFacts;
  readonly argumentText: string;
  /** Absent: the text itself is read. */
  readonly reader?: ArgumentReader | undefined;
  readonly profile: ProfileName;
  readonly now: number;
}

export type ToolQuestions =
  | {
      readonly kind: 'ready';
      readonly subjects: KnownSubjects;
      /** Stands for the arguments where no policy in force reads more of them than whether they could be read. */
      readonly readability: string;
      /** One question per subject. */
      questions(action: ToolAction, votes?: ValidVotes): readonly CedarQuestion[];
    }
  | { readonly kind: 'refused'; readonly cause: 'agent_unknown' | 'request_invalid' | 'args_rejected' };

/** Everything the questions about one call are made of, read once. */
export function toolQuestions(ask: ToolAsk, set: PolicySet, directory: Directory): ToolQuestions {
  const subjects = subjectsOf(ask.caller.principal, directory);
  if (subjects.kind === 'refused') return subjects;
  const reader = ask.reader ?? readArguments;
  const read = reader(ask.argumentText, ask.tool.extractors, toolReads(set, ask.tool).facts);
  if (read.kind === 'rejected') return { kind: 'refused', cause: 'args_rejected' };
  let builder: QuestionBuilder | undefined;
  return {
    kind: 'ready',
    subjects,
    readability: `lossless ${read.bags.lossless}, complete ${read.facts.complete}`,
    questions(action, votes) {
      builder ??= new QuestionBuilder({ ask, subjects, read, directory });
      return builder.build(action, votes);
    },
  };
}

class QuestionBuilder {
  private readonly env: CedarValue;
  private readonly shared: readonly Entity[];
  private readonly withArguments: readonly Entity[];

  constructor(
    private readonly parts: {
      readonly ask: ToolAsk;
      readonly subjects: KnownSubjects;
      readonly read: Extract<ArgumentFacts, { kind: 'read' }>;
      readonly directory: Directory;
    },
  ) {
    const { ask, subjects, read, directory } = parts;
    this.env = environment({ caller: ask.caller, profile: ask.profile, now: ask.now });
    const tenants = new Set([ask.tool.tenant, ask.caller.principal.tenant]);
    this.shared = [
      ...subjects.entities,
      toolEntity(ask.tool),
      ...[...tenants].map((tenant) => tenantEntity(tenant, directory)),
    ];
    this.withArguments = [...this.shared, ...bagEntities(read.bags)];
  }

  build(action: ToolAction, votes?: ValidVotes): readonly CedarQuestion[] {
    return this.parts.subjects.subjects.map((subject) => ({
      principal: subject.uid,
      action,
      resource: placeOf(this.parts.ask.tool).uid,
      context: this.contextOf(action, subject.uid, votes),
      entities: action === 'discoverTool' ? this.shared : this.withArguments,
    }));
  }

  private contextOf(action: ToolAction, subject: Uid, votes?: ValidVotes): CedarQuestion['context'] {
    if (action === 'discoverTool') return { env: this.env };
    const { user, agent } = this.parts.subjects;
    const { bags, facts } = this.parts.read;
    return {
      env: this.env,
      args: argumentsValue(bags),
      facts: factsValue(facts),
      ...(user !== undefined && user !== subject ? { user: entityRef(user) } : {}),
      ...(agent !== undefined && agent !== subject ? { agent: entityRef(agent) } : {}),
      ...(votes === undefined ? {} : { approval: approvalValue(votes) }),
    };
  }
}

function approvalValue(votes: ValidVotes): CedarValue {
  return {
    count: votes.approvers.length,
    approvers: votes.approvers.map(entityRef),
    roles: votes.roles.map(entityRef),
    ageSec: Math.ceil(Math.max(0, votes.ageMs) / 1000),
  };
}

export function rolesOf(principal: { tenant: string; roles: readonly string[] }): readonly Uid[] {
  return principal.roles.map((role) => roleUid(principal.tenant, role));
}
