import type { NativeToolStatement } from '@uar/contracts';
import { z } from 'zod';

/** How a tool ended: what it says, and whether it says that it failed. */
export type ToolEnd =
  | { readonly kind: 'said'; readonly texts: readonly [string, ...string[]] }
  | { readonly kind: 'failed'; readonly text: string };

export type Prepared =
  | { readonly kind: 'ready'; readonly run: (signal: AbortSignal) => Promise<ToolEnd> }
  | { readonly kind: 'bad_arguments'; readonly problem: string };

/** A tool of this host. Everything about it stands here; nothing outside supplies any part. */
export interface NativeTool {
  readonly name: string;
  /** The MCP tool object. */
  readonly definition: Readonly<Record<string, unknown>>;
  readonly statement: NativeToolStatement;
  /** Checks parsed arguments. Touches nothing before `run`. */
  prepare(args: unknown): Prepared;
}

export interface NativeToolParts<Schema extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly schema: Schema;
  readonly statement: NativeToolStatement;
  readonly call: (args: z.output<Schema>, signal: AbortSignal) => Promise<ToolEnd>;
}

/** One zod schema gives both the advertised JSON Schema (2020-12) and the check before the call. */
export function nativeTool<Schema extends z.ZodObject>(parts: NativeToolParts<Schema>): NativeTool {
  const { name, title, description, schema, statement, call } = parts;
  return {
    name,
    statement,
    definition: {
      name,
      title,
      description,
      inputSchema: z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' }),
      annotations: {
        readOnlyHint: statement.read_only,
        destructiveHint: statement.destructive,
        idempotentHint: statement.idempotent,
        openWorldHint: statement.open_world,
      },
    },
    prepare(args) {
      const parsed = schema.safeParse(args);
      if (!parsed.success) return { kind: 'bad_arguments', problem: z.prettifyError(parsed.error) };
      return { kind: 'ready', run: (signal) => call(parsed.data, signal) };
    },
  };
}
