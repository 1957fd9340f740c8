import type { SchemaJson } from '@cedar-policy/cedar-wasm/web';
import type { CedarQuestion } from '../../../domain/cedar/cedar.js';
import type { Slice } from '../../../domain/policy/slices.js';

/** What of a schema and of questions the policies of one action can tell apart. */
export interface View {
  readonly schema: SchemaJson<string>;
  slice(question: CedarQuestion): CedarQuestion;
}

export function viewOf(schema: Readonly<Record<string, unknown>>, slice: Slice): View | undefined;
