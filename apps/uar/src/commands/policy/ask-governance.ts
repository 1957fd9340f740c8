import { z } from 'zod';
import { answered, refusal, shaped } from '../../client/answer.js';
import { connectTarget } from '../../client/target.js';
import { plain } from '../../output.js';
import { CommandFailure, exit, type World } from '../../world.js';

const Invalid = z.object({
  error: z.object({
    message: z.string(),
    details: z.object({
      errors: z.array(
        z.looseObject({
          policy_id: z.string().optional(),
          message: z.string(),
          line: z.number().optional(),
          column: z.number().optional(),
          suggestion: z.string().optional(),
        }),
      ),
    }),
  }),
});

export interface GovernanceAsk<S extends z.ZodType> {
  /** Below `/api/uar/governance/`. */
  readonly route: string;
  /** JSON text. */
  readonly body: string;
  readonly answer: S;
}

/** Posts a question about policies; what is wrong with a candidate is said with its places. */
export async function askGovernance<S extends z.ZodType>(
  world: World,
  { route, body, answer }: GovernanceAsk<S>,
): Promise<z.output<S>> {
  const client = connectTarget(world);
  const sent = await client.send({ method: 'POST', path: `/api/uar/governance/${route}`, body });
  const { status, text } = answered(client, sent);
  if (status !== 200) throw problemsIn(text) ?? refusal(status, text);
  return shaped(client, text, answer);
}

function problemsIn(text: string): CommandFailure | undefined {
  const parsed = Invalid.safeParse(jsonOf(text));
  if (!parsed.success) return undefined;
  const { message, details } = parsed.data.error;
  const lines = details.errors.map(({ policy_id, line, column, message: problem, suggestion }) => {
    const place = [policy_id ?? 'the set', ...(line === undefined ? [] : [line, column ?? 1])].join(':');
    const meant = suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`;
    return `${plain(`${place}: ${problem}${meant}`)}\n`;
  });
  return new CommandFailure(exit.failed, `${lines.join('')}${plain(message)}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
