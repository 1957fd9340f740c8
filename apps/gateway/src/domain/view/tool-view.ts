import type { CatalogEntry } from '@uar/contracts';
import { JsonText, memberText, stringifyWithText } from '@uar/json-text';
import type { EffectiveEntry } from '../catalog/effective-catalog.js';

const texts = new WeakMap<CatalogEntry, Map<string, string>>();
const levels = ['low', 'low', 'medium', 'high', 'critical'] as const;

/** ToolView (API.md 2) as JSON text; what the upstream said of its tool stands in it untouched. */
export function toolViewText({ entry, approval }: EffectiveEntry): string {
  let known = texts.get(entry);
  if (known === undefined) {
    known = new Map();
    texts.set(entry, known);
  }
  let text = known.get(approval);
  if (text === undefined) {
    text = stringifyWithText(toolView(entry, approval));
    known.set(approval, text);
  }
  return text;
}

function toolView({ name, facts, definition_json, state }: CatalogEntry, approval: string): object {
  const own = (member: string): JsonText | undefined => {
    const text = memberText(definition_json, member);
    return text === undefined || text === 'null' ? undefined : new JsonText(text);
  };
  return {
    name,
    server: facts.server,
    raw_name: facts.raw_name,
    source: facts.source,
    title: own('title'),
    description: own('description'),
    input_schema: own('inputSchema') ?? {},
    output_schema: own('outputSchema'),
    annotations: own('annotations'),
    capabilities: facts.capabilities,
    risk: levels[facts.risk] ?? 'critical',
    definition_digest: facts.definition_digest,
    state,
    approval,
  };
}
