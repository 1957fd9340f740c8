import { ExplanationView, type ExplainHint, type ExplainedGate, type ExplainedStage } from '@uar/contracts';
import { counted, json, plain, table } from '../../output.js';
import { CommandFailure, exit, type ExitCode, type World } from '../../world.js';
import { askGovernance } from './ask-governance.js';

export interface ExplainOptions {
  readonly tool: string;
  /** JSON text of the arguments, sent as it was typed. */
  readonly argumentsText: string;
  readonly sub?: string;
  readonly roles?: readonly string[];
  readonly groups?: readonly string[];
  readonly agent?: string;
  readonly runId?: string;
  readonly at?: string;
  readonly json: boolean;
}

/** How the running server would decide a call, and why. Nothing is called. */
export async function explainCall(world: World, options: ExplainOptions): Promise<ExitCode> {
  const found = await askGovernance(world, {
    route: 'explain',
    body: bodyOf(options),
    answer: ExplanationView,
  });
  world.out(options.json ? json(found) : textOf(found));
  return exit.ok;
}

/** The arguments stay the text that was typed: numbers keep their digits. */
function bodyOf(options: ExplainOptions): string {
  const { tool, argumentsText, runId, at } = options;
  const principal = principalOf(options);
  const rest = JSON.stringify({
    tool,
    ...(principal === undefined ? {} : { principal }),
    ...(runId === undefined ? {} : { run_id: runId }),
    ...(at === undefined ? {} : { at: timeOf(at) }),
  });
  return `${rest.slice(0, -1)},"arguments":${objectText(argumentsText)}}`;
}

function principalOf({ sub, roles, groups, agent }: ExplainOptions): object | undefined {
  if (sub !== undefined)
    return {
      sub,
      ...(roles === undefined ? {} : { roles }),
      ...(groups === undefined ? {} : { groups }),
      ...(agent === undefined ? {} : { agent_id: agent }),
    };
  if (roles === undefined && groups === undefined && agent === undefined) return undefined;
  throw new CommandFailure(exit.usage, '--roles, --groups and --agent go with --sub');
}

function timeOf(text: string): string {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new CommandFailure(exit.usage, `${text} is no time`);
  return new Date(at).toISOString();
}

function objectText(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
  } catch {
    // Said below.
  }
  throw new CommandFailure(exit.usage, 'the arguments are no JSON object');
}

function textOf(found: ExplanationView): string {
  const outcome = found.outcome === undefined ? '' : `: ${found.outcome}${because(found.cause)}`;
  const off = found.governance === 'off' ? ', Cedar is switched off' : '';
  const lines = [
    `${found.decision}${outcome}, policies ${found.policy_version}${off}`,
    ...found.gates.map((gate) => `asks a human: ${gateText(gate)}`),
    ...found.hints.map(hintText),
  ];
  const rows = found.stages.map((stage) => [stage.stage, stage.result, whyOf(stage)]);
  return `${lines.map((line) => plain(line)).join('\n')}\n\n${table(['STAGE', 'RESULT', 'WHY'], rows)}`;
}

function whyOf({ cause, determining = [], quorum, reasons = [] }: ExplainedStage): string {
  const policies = determining.map(({ policy, reason }) =>
    reason === undefined ? policy : `${policy}: ${reason}`,
  );
  const approvals = quorum === undefined ? [] : [counted(quorum, 'approval')];
  return [...(cause === undefined ? [] : [cause]), ...policies, ...approvals, ...reasons].join('; ');
}

function gateText(gate: ExplainedGate): string {
  switch (gate.kind) {
    case 'policy':
      return gate.reason === undefined ? gate.policy : `${gate.policy}: ${gate.reason}`;
    case 'no_permit':
      return 'no policy lets it run unattended';
    case 'run':
      return 'the run asks about every call';
    case 'risk':
      return gate.reason;
  }
}

function hintText(hint: ExplainHint): string {
  switch (hint.kind) {
    case 'forbid':
      return `${hint.policy} forbids ${hint.action}${because(hint.reason)}${partsText('it holds that', hint.held)}`;
    case 'error':
      return `${hint.policy} fails for ${hint.action}${because(hint.reason)}${partsText('its parts', hint.held)}`;
    case 'permit':
      return `${hint.policy} would permit ${hint.action}${because(hint.reason)}${partsText('but for', hint.fails)}`;
    case 'no_permit':
      return `no policy permits ${hint.action} to ${hint.principal}`;
    case 'capability':
      return `the capability ${hint.missing.join(', ')} is missing`;
    case 'review':
      return "the tool's definition awaits review, or a reviewer rejected it";
    case 'agent':
      return `nobody registered the agent ${hint.agent}`;
  }
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : ` (${reason})`;
}

type Parts = Extract<ExplainHint, { kind: 'permit' }>['fails'];

function partsText(lead: string, parts: Parts): string {
  if (parts === undefined || parts.length === 0) return '';
  const texts = parts.map(({ part, text, found }) => `${part} ${text} (${found})`);
  return `, ${lead}: ${texts.join('; ')}`;
}
