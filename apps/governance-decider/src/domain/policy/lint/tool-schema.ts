import type { ToolFacts } from '@uar/contracts';

/** A tool of the catalog with the schema of its arguments, as its definition states it. */
export interface ToolSchema {
  readonly facts: ToolFacts;
  readonly inputSchema: unknown;
}

/** The tools that a tenant's policies can be about. */
export interface ToolSchemas {
  /** Nothing while the catalog is not known. */
  of(tenant: string): readonly ToolSchema[] | undefined;
}
