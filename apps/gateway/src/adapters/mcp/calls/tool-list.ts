import { JsonText } from '@uar/json-text';

const pageSize = 1000;

/** A page of `tools/list`, as text. */
export type ToolPage = { readonly kind: 'page'; readonly result: JsonText } | { readonly kind: 'bad_cursor' };

export function toolPage(definitions: readonly string[], cursor: string | undefined): ToolPage {
  const start = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isInteger(start) || start < 0 || start > definitions.length) return { kind: 'bad_cursor' };
  const end = start + pageSize;
  const next = end < definitions.length ? `,"nextCursor":"${end}"` : '';
  return {
    kind: 'page',
    result: new JsonText(`{"tools":[${definitions.slice(start, end).join(',')}]${next}}`),
  };
}
