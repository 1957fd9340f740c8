import { z } from 'zod';
import { askFor } from '../client/answer.js';
import { connectTarget } from '../client/target.js';
import { json, plain, table } from '../output.js';
import { exit, type ExitCode, type World } from '../world.js';

const Tool = z.looseObject({ name: z.string(), risk: z.string(), state: z.string(), approval: z.string() });
const Page = z.object({
  tools: z.array(Tool),
  incomplete: z.array(z.object({ server: z.string(), state: z.string(), reason: z.string() })),
  next_cursor: z.string().optional(),
});

export interface ToolsOptions {
  readonly server?: string;
  readonly query?: string;
  readonly json: boolean;
}

/** Every tool that the caller may discover, all pages of it. */
export async function listTools(world: World, options: ToolsOptions): Promise<ExitCode> {
  const client = connectTarget(world);
  const tools: z.output<typeof Tool>[] = [];
  let incomplete: z.output<typeof Page>['incomplete'];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams();
    if (options.server !== undefined) query.set('server', options.server);
    if (options.query !== undefined) query.set('q', options.query);
    if (cursor !== undefined) query.set('cursor', cursor);
    const page = await askFor(client, { method: 'GET', path: `/api/tools?${query}`, answer: Page });
    tools.push(...page.tools);
    incomplete = page.incomplete;
    cursor = page.next_cursor;
  } while (cursor !== undefined);

  if (options.json) world.out(json({ tools, incomplete }));
  else {
    const rows = tools.map((tool) => [tool.name, tool.risk, tool.state, tool.approval]);
    world.out(table(['TOOL', 'RISK', 'STATE', 'APPROVAL'], rows));
    for (const { server, state, reason } of incomplete)
      world.err(`${plain(server)} is ${plain(state)}: ${plain(reason)}\n`);
  }
  return exit.ok;
}
