import { z } from 'zod';
import { answered, parseJson, refusal } from '../client/answer.js';
import { detailLines } from '../client/details.js';
import type { ApiAnswer, GatewayClient } from '../client/gateway-client.js';
import { connectTarget } from '../client/target.js';
import { plain } from '../output.js';
import { CommandFailure, exit, type ExitCode, type World } from '../world.js';

/** What this command reads of a CallView (API.md 2). */
const Call = z.object({
  call_id: z.string(),
  outcome: z.string(),
  success: z.boolean(),
  result: z.unknown(),
  error: z.object({ code: z.string(), message: z.string(), details: z.unknown().optional() }).nullable(),
  approval: z.object({ approval_id: z.string() }).nullable(),
});
type Call = z.output<typeof Call>;

const Content = z.object({ content: z.array(z.unknown()) });
const TextItem = z.object({ type: z.literal('text'), text: z.string() });

export interface CallOptions {
  readonly tool: string;
  /** JSON text of the arguments, sent as it was typed. */
  readonly argumentsText: string;
  readonly runId?: string;
  readonly deadlineMs?: number;
  readonly json: boolean;
}

const pollMs = 500;
const hintAfterMs = 1_500;

/** Calls a tool and waits for its end. Exit code 0 for `completed` alone. */
export async function callTool(world: World, options: CallOptions): Promise<ExitCode> {
  const body = bodyOf(options);
  const client = connectTarget(world);
  const hint = setTimeout(() => {
    world.err('waiting; if the call needs an approval, `uar approvals` lists it\n');
  }, hintAfterMs);
  try {
    const answer = await settled(client, body, options.tool);
    const call = callOf(answer, client);
    world.out(options.json ? `${answer.text}\n` : resultText(call));
    if (call.success) return exit.ok;
    world.err(endText(call, options));
    return exit.failed;
  } finally {
    clearTimeout(hint);
  }
}

/** The arguments stay the text that was typed: numbers keep their digits. */
function bodyOf({ argumentsText, runId, deadlineMs }: CallOptions): string {
  let value: unknown;
  try {
    value = JSON.parse(argumentsText);
  } catch {
    throw new CommandFailure(exit.usage, 'the arguments are no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CommandFailure(exit.usage, 'the arguments are no JSON object');
  const members = [`"arguments":${argumentsText}`];
  if (runId !== undefined) members.push(`"run_id":${JSON.stringify(runId)}`);
  if (deadlineMs !== undefined) members.push(`"deadline_ms":${deadlineMs}`);
  return `{${members.join(',')}}`;
}

/** HTTP waits for the end as long as the gateway lets it, then the call is asked after. */
async function settled(client: GatewayClient, body: string, tool: string): Promise<ApiAnswer> {
  const path = `/api/tools/${encodeURIComponent(tool)}/execute`;
  let answer = answered(client, await client.send({ method: 'POST', path, body }));
  while (answer.status === 202 && answer.location !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    const next = new URL(answer.location, client.url);
    const polled = await client.send({ method: 'GET', path: `${next.pathname}${next.search}` });
    answer = { ...answered(client, polled), location: answer.location };
  }
  return answer;
}

function callOf(answer: ApiAnswer, client: GatewayClient): Call {
  const parsed = Call.safeParse(parseJson(answer.text, client.url));
  if (!parsed.success) throw refusal(answer.status, answer.text);
  return parsed.data;
}

/** Outcomes that a policy or a scope stands behind. */
const explained: readonly string[] = ['policy_denied', 'capability_denied', 'run_denied'];

/** How a call ended that did not complete, and the way on from there. */
function endText({ outcome, call_id: id, error }: Call, options: CallOptions): string {
  const said = error === null ? '' : `: ${plain(error.message)}`;
  const why = explained.includes(outcome) ? `why, stage by stage: ${explainCommand(options)}\n` : '';
  return `${outcome}${said} (${id})\n${detailLines(error?.details)}${why}`;
}

function explainCommand({ tool, argumentsText, runId }: CallOptions): string {
  const words = ['uar policy explain', plain(tool)];
  if (argumentsText !== '{}') words.push(`'${plain(argumentsText).replaceAll("'", `'\\''`)}'`);
  if (runId !== undefined) words.push(`--run-id ${plain(runId)}`);
  return words.join(' ');
}

function resultText(call: Call): string {
  const parsed = Content.safeParse(call.result);
  if (!parsed.success) return '';
  return parsed.data.content
    .map((item) => {
      const text = TextItem.safeParse(item);
      return `${text.success ? plain(text.data.text) : JSON.stringify(item)}\n`;
    })
    .join('');
}
