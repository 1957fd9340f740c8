import type { ExplainedArguments, ExplainedFacts } from '@uar/contracts';
import { principalId } from '@uar/contracts';
import { readArguments } from '../facts/argument-facts.js';
import type { FactName } from '../facts/extract.js';
import type { Bags } from '../facts/bags.js';
import type { Directory } from '../question/directory.js';
import type { ToolAsk } from '../question/tool-questions.js';

/** What the questions about a call were made of. `factsRead`: those that policies in force for the tool read. */
export function factsView(
  ask: ToolAsk,
  directory: Directory,
  factsRead: ReadonlySet<FactName>,
): ExplainedFacts {
  const { caller, tool } = ask;
  const { principal } = caller;
  const { roles, groups, mfa, capabilities, agent_id: agent } = principal;
  const tenant = directory.tenant(principal.tenant);
  return {
    principal: {
      id: principalId(principal),
      ...(agent === undefined ? {} : { agent }),
      ...{ roles, groups, mfa },
      ...(capabilities === undefined ? {} : { capabilities }),
    },
    environment: {
      at: new Date(ask.now).toISOString(),
      channel: caller.channel,
      ...(caller.ip === undefined ? {} : { ip: caller.ip }),
      profile: ask.profile,
      run_id: caller.run_id,
    },
    tenant: {
      kill_switch: tenant.killSwitch,
      enabled_families: [...tenant.enabledFamilies],
      max_unattended_risk: tenant.maxUnattendedRisk,
    },
    tool,
    arguments: argumentsView(ask, factsRead),
  };
}

function argumentsView(ask: ToolAsk, factsRead: ReadonlySet<FactName>): ExplainedArguments {
  const read = readArguments(ask.argumentText, ask.tool.extractors, factsRead);
  if (read.kind === 'rejected') return read;
  const { bags, facts } = read;
  return {
    kind: 'read',
    pointers: pointersOf(bags),
    path_roots: [...facts.pathRoots],
    hosts: [...facts.hosts],
    recipient_domains: [...facts.recipientDomains],
    ...(facts.amount === undefined ? {} : { amount: facts.amount }),
    lossless: bags.lossless,
    complete: facts.complete,
  };
}

type Pointers = Extract<ExplainedArguments, { kind: 'read' }>['pointers'];

/** A number stands in two bags where it is a whole one; `number` says more. */
function pointersOf(bags: Bags): Pointers {
  const typed = (pointers: readonly string[], type: Pointers[string]): Pointers =>
    Object.fromEntries(pointers.map((pointer) => [pointer, type]));
  return {
    ...typed(bags.paths, 'unread'),
    ...typed(Object.keys(bags.l), 'set'),
    ...typed(bags.nulls, 'null'),
    ...typed(Object.keys(bags.d), 'decimal'),
    ...typed(Object.keys(bags.n), 'number'),
    ...typed(Object.keys(bags.s), 'string'),
    ...typed(Object.keys(bags.b), 'boolean'),
  };
}
