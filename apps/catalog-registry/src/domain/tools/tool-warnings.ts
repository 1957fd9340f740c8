import { mergedOverride } from '@uar/catalog';
import type { ServerView } from '@uar/contracts';
import { changeOf } from '../changes/change-key.js';
import type { DesiredServer } from '../servers/desired-servers.js';
import type { ExaminedTool, Finding } from './examined-tools.js';
import type { Review } from './pins.js';
import type { ListProblem, ListedTool } from './tool-list.js';

type Warning = ServerView['warnings'][number];

const mostWarnings = 50;

/** What an administrator should know about the tools of a server. */
export function toolWarnings(
  server: DesiredServer,
  problems: readonly ListProblem[],
  { tools, review }: { readonly tools: readonly ExaminedTool[]; readonly review: Review | undefined },
): Warning[] {
  const warnings = problems.flatMap(({ reason, names }) =>
    names.map((key) => ({ code: 'tool_not_served', key, message: reason })),
  );
  for (const { tool, flags, finding } of tools) {
    const key = tool.definition.name;
    if (finding !== undefined)
      for (const warning of findingWarnings(finding, flags, () => changeOf(server, tool, review).id))
        warnings.push({ ...warning, key });
    if (overrideWithoutEffect(server, tool))
      warnings.push({
        code: 'override_without_effect',
        key,
        message: 'a read-only tool is never destructive',
      });
  }
  return warnings.slice(0, mostWarnings);
}

function findingWarnings(
  finding: Finding,
  flags: ExaminedTool['flags'],
  changeId: () => string,
): Omit<Warning, 'key'>[] {
  switch (finding) {
    case 'flagged':
    case 'beyond':
      return flags.map(({ message }) => ({ code: 'definition_flagged', message }));
    case 'changed':
      return [{ code: 'definition_changed', message: 'the definition differs from the reviewed one' }];
    case 'unreviewed':
      return [{ code: 'tool_unreviewed', message: 'nobody has reviewed this tool' }];
    case 'rejected':
      return [{ code: 'definition_rejected', message: rejection(changeId()) }];
  }
}

/** Rejected changes are on no list any more: only this says which one to accept after all. */
function rejection(id: string): string {
  return (
    `a reviewer rejected this definition (${id}): the tool stays in quarantine until the server offers ` +
    `another definition that is accepted, or this change is accepted after all`
  );
}

function overrideWithoutEffect({ config }: DesiredServer, { definition }: ListedTool): boolean {
  const override = mergedOverride(config.tools.overrides, definition.name);
  if (override.destructive !== true) return false;
  const said = config.trust_annotations && definition.annotations['readOnlyHint'] === true;
  return override.read_only ?? said;
}
