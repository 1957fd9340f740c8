import type { AnswerOf, AskOf, DefinitionChange, Principal, decideChange, listChanges } from '@uar/contracts';
import type { Registry } from '../registry.js';
import { serverKey, type DesiredServers } from '../servers/desired-servers.js';
import type { Pins } from '../tools/pins.js';
import type { Turns } from '../turns.js';
import type { DefinitionChanges } from './definition-changes.js';

type Listed = AnswerOf<typeof listChanges>;
type Decided = AnswerOf<typeof decideChange>;
type DecideAsk = AskOf<typeof decideChange>;

export interface DeskParts {
  readonly desired: DesiredServers;
  readonly registry: Registry;
  readonly changes: DefinitionChanges;
  readonly pins: Pins;
  /** Of reviewers; recording what they decide on takes turns of its own. */
  readonly turns: Turns;
}

const away = { kind: 'unavailable' as const, message: 'the ledger does not answer; nothing changed' };
const gone = {
  kind: 'unavailable' as const,
  message: 'nobody waits for the answer any more; nothing changed',
};

/** What reviewers ask about and say of changed definitions (API.md 3). */
export class ReviewDesk {
  constructor(private readonly parts: DeskParts) {}

  async list({ tenant, name }: AskOf<typeof listChanges>): Promise<Listed> {
    const { desired, registry, changes } = this.parts;
    const server = desired.get(tenant, name);
    if (server === undefined) return noServer(name);
    const open = await changes.open(server, registry.examined(server));
    return open === undefined ? away : { kind: 'listed', changes: [...open] };
  }

  decide(ask: DecideAsk, signal: AbortSignal): Promise<Decided> {
    const key = serverKey(ask.principal.tenant, ask.name);
    return this.parts.turns.exclusive(key, () => this.decideNow(ask, signal));
  }

  private async decideNow(ask: DecideAsk, signal: AbortSignal): Promise<Decided> {
    const { desired, changes } = this.parts;
    const server = desired.get(ask.principal.tenant, ask.name);
    if (server === undefined) return noServer(ask.name);
    const change = await changes.find(server, ask.id);
    if (change === undefined) return away;
    if (change === null) return { kind: 'not_found', message: 'there is no such change' };
    const before = changes.decisionOn(server, change);
    if (before === 'accepted' || (before === 'rejected' && ask.decision === 'reject'))
      return { kind: 'not_open', decision: before };
    if (!this.isCurrent(ask.principal, ask.name, change))
      return { kind: 'superseded', message: 'the upstream offers another definition by now' };
    return signal.aborted ? gone : this.write(ask, change);
  }

  private async write({ principal, name, decision }: DecideAsk, change: DefinitionChange): Promise<Decided> {
    const { pins, registry } = this.parts;
    const { tenant } = principal;
    const { id, tool, new_digest: digest } = change;
    const deed = { principal, action: `change.${decision} ${name} ${tool} ${id}` };
    if (!(await pins.decide({ tenant, name }, { tool, digest, decision }, deed))) return away;
    await registry.changed(tenant, name);
    return {
      kind: 'decided',
      decided: { id, tool, digest, decision: decision === 'accept' ? 'accepted' : 'rejected' },
    };
  }

  /** Without a list nobody knows better: a decision is bound to its digest, so an outdated one changes nothing. */
  private isCurrent({ tenant }: Principal, name: string, change: DefinitionChange): boolean {
    const tools = this.parts.registry.examined({ tenant, name });
    if (tools === undefined) return true;
    return tools.some(({ tool }) => tool.name === change.tool && tool.digest === change.new_digest);
  }
}

function noServer(name: string): { kind: 'not_found'; message: string } {
  return { kind: 'not_found', message: `there is no server ${name}` };
}
