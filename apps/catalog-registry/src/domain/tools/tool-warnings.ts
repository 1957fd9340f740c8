import { mergedOverride } from '@uar/catalog';
import type { ServerView } from '@uar/contracts';
import type { DesiredServer } from '../servers/desired-servers.js';
import type { ExaminedTool, Finding } from './examined-tools.js';
import type { ListProblem, ListedTool } from './tool-list.js';

type Warning = ServerView['warnings'][number];

const mostWarnings = 50;

/** What an administrator should know about the tools of a server. */
export function toolWarnings(
  server: DesiredServer,
  problems: readonly ListProblem[],
  tools: readonly ExaminedTool[],
): Warning[] {
  const warnings = problems.flatMap(({ reason, names }) =>
    names.map((key) => ({ code: 'tool_not_served', key, message: reason })),
  );
  for (const { tool, flags, finding } of tools) {
    const key = tool.definition.name;
    if (finding === 'flagged' || finding === 'beyond')
      warnings.push(...flags.map(({ message }) => ({ code: 'definition_flagged', key, message })));
    else if (finding !== undefined) warnings.push({ ...pinWarnings[finding], key });
    if (overrideWithoutEffect(server, tool))
      warnings.push({
        code: 'override_without_effect',
        key,
        message: 'a read-only tool is never destructive',
      });
  }
  return warnings.slice(0, mostWarnings);
}

const pinWarnings: Readonly<
  Record<Exclude<Finding, 'flagged' | 'beyond'>, { readonly code: string; readonly message: string }>
> = {
  changed: { code: 'definition_changed', message: 'the definition differs from the reviewed one' },
  unreviewed: { code: 'tool_unreviewed', message: 'nobody has reviewed this tool' },
  rejected: { code: 'definition_rejected', message: 'a reviewer rejected this definition' },
};

function overrideWithoutEffect({ config }: DesiredServer, { definition }: ListedTool): boolean {
  const override = mergedOverride(config.tools.overrides, definition.name);
  if (override.destructive !== true) return false;
  const said = config.trust_annotations && definition.annotations['readOnlyHint'] === true;
  return override.read_only ?? said;
}
