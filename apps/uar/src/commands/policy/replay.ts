import { ReplayView } from '@uar/contracts';
import { counted, json, table } from '../../output.js';
import { CommandFailure, exit, type ExitCode, type World } from '../../world.js';
import { askGovernance } from './ask-governance.js';
import { candidateTexts } from './candidate-texts.js';

export interface ReplayOptions {
  readonly paths: readonly string[];
  readonly since?: string;
  readonly limit?: number;
  readonly json: boolean;
}

/** Which recorded decisions of the running server the files would have made differently. */
export async function replay(world: World, options: ReplayOptions): Promise<ExitCode> {
  const { since, limit } = options;
  if (since !== undefined && Number.isNaN(Date.parse(since)))
    throw new CommandFailure(exit.usage, `${since} is no time`);
  const found = await askGovernance(world, {
    route: 'replay',
    body: JSON.stringify({
      policies: candidateTexts(world, options.paths),
      ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
      ...(limit === undefined ? {} : { limit }),
    }),
    answer: ReplayView,
  });
  world.out(options.json ? json(found) : textOf(found));
  return exit.ok;
}

function textOf({ replayed, changed, undecided, complete }: ReplayView): string {
  const rows = changed.map(({ call_id, was, was_outcome, would_be, would_be_outcome, policies }) => [
    call_id,
    was_outcome ?? was,
    would_be_outcome ?? would_be,
    policies.join(' '),
  ]);
  const list = rows.length === 0 ? '' : table(['CALL', 'WAS', 'WOULD BE', 'POLICIES'], rows);
  const open = undecided.length === 0 ? '' : `, ${undecided.length} cannot be told`;
  const rest = complete ? '' : '; there was no time for older ones';
  return `${list}${counted(replayed, 'decision')} replayed, ${changed.length} would change${open}${rest}\n`;
}
