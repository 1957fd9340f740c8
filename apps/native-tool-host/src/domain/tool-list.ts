import { createHash } from 'node:crypto';
import type { NativeToolStatement } from '@uar/contracts';
import type { NativeTool } from './native-tool.js';

/** What this host offers, as the registry reads it. */
export interface ToolList {
  readonly digest: string;
  /** MCP tool objects as JSON text. */
  readonly definitions: readonly string[];
  readonly statements: Readonly<Record<string, NativeToolStatement>>;
}

export function toolList(tools: readonly NativeTool[]): ToolList {
  const definitions = tools.map((tool) => JSON.stringify(tool.definition));
  const statements = Object.fromEntries(tools.map((tool) => [tool.name, tool.statement]));
  const whole = JSON.stringify([definitions, statements]);
  return { digest: createHash('sha256').update(whole).digest('hex'), definitions, statements };
}
