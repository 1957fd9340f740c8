import { SimulationView, type CellVerdict } from '@uar/contracts';
import { counted, json, plain, table } from '../../output.js';
import { CommandFailure, exit, type ExitCode, type World } from '../../world.js';
import { askGovernance } from './ask-governance.js';
import { candidateTexts } from './candidate-texts.js';

export interface SimulateOptions {
  readonly paths: readonly string[];
  /** `sub:role,role`. */
  readonly principals: readonly string[];
  readonly tools: readonly string[];
  readonly json: boolean;
}

/** What the files would say of principals and tools of the running server, beside what decides now. */
export async function simulate(world: World, options: SimulateOptions): Promise<ExitCode> {
  if (options.principals.length === 0)
    throw new CommandFailure(exit.usage, 'name at least one --principal sub:role,role');
  const found = await askGovernance(world, {
    route: 'simulate',
    body: JSON.stringify({
      policies: candidateTexts(world, options.paths),
      principals: options.principals.map(principalOf),
      ...(options.tools.length === 0 ? {} : { tools: options.tools }),
    }),
    answer: SimulationView,
  });
  world.out(options.json ? json(found) : textOf(found));
  for (const { policy_id: policy, message } of found.warnings)
    world.err(plain(`warning: ${policy === undefined ? '' : `${policy}: `}${message}\n`));
  return exit.ok;
}

function principalOf(text: string): object {
  const at = text.indexOf(':');
  const sub = at === -1 ? text : text.slice(0, at);
  if (sub === '') throw new CommandFailure(exit.usage, '--principal is sub:role,role');
  const roles = at === -1 ? [] : text.slice(at + 1).split(',');
  return { sub, roles: roles.map((role) => role.trim()).filter((role) => role !== '') };
}

function textOf({ matrix, differences }: SimulationView): string {
  const rows = matrix.map(({ sub, tool, active, candidate = active }) => {
    const isSame = active.decision === candidate.decision && active.outcome === candidate.outcome;
    return [
      sub,
      tool,
      wordOf(active),
      isSame ? '' : wordOf(candidate),
      isSame ? '' : candidate.policies.join(' '),
    ];
  });
  return `${table(['PRINCIPAL', 'TOOL', 'NOW', 'WOULD BE', 'POLICIES'], rows)}${differences.length} of ${counted(matrix.length, 'cell')} would change\n`;
}

function wordOf({ decision, outcome }: CellVerdict): string {
  return outcome ?? decision;
}
