import type { ResolvedConfig } from '@uar/config';
import type { Endpoints } from '../client/endpoints-file.js';

/** What the user reads once everything is ready: where it is and how to call it. */
export function banner(config: ResolvedConfig, endpoints: Endpoints): string {
  const { gateway, proxy, management } = endpoints;
  const lines = ['', 'The tool plane is ready.', '', `  gateway      ${gateway}   (MCP: ${gateway}/mcp)`];
  if (proxy !== undefined) lines.push(`  dev proxy    ${proxy}   (adds a development token)`);
  lines.push(`  management   ${management}   (/metrics, /healthz, /readyz)`, '');
  const door = proxy ?? gateway;
  const token = proxy === undefined ? ' -H "authorization: Bearer $UAR_TOKEN"' : '';
  lines.push('  List the tools:', `    curl -s ${door}/api/tools${token}`);
  if (config.mcp.servers['everything'] !== undefined)
    lines.push(
      '  Call one:',
      `    curl -s ${door}/api/tools/everything__echo/execute${token} \\`,
      `      -H 'content-type: application/json' -d '{"arguments":{"message":"hello"}}'`,
    );
  lines.push(`  An MCP client connects to ${door}/mcp. Ctrl-C stops everything.`, '');
  return `${lines.join('\n')}\n`;
}
