import { elementTexts, memberText } from '@uar/json-text';
import type { ListName, ListPage } from '../domain/upstream.js';

export const lists = {
  tools: { method: 'tools/list', member: 'tools', capability: 'tools' },
  resources: { method: 'resources/list', member: 'resources', capability: 'resources' },
  templates: { method: 'resources/templates/list', member: 'resourceTemplates', capability: 'resources' },
  prompts: { method: 'prompts/list', member: 'prompts', capability: 'prompts' },
} as const;

/** What one result of a list holds. */
export function pageIn(text: string, list: ListName): ListPage {
  const next: unknown = JSON.parse(memberText(text, 'nextCursor') ?? 'null');
  const definitions = elementTexts(memberText(text, lists[list].member) ?? '[]');
  return { kind: 'page', definitions, ...(typeof next === 'string' ? { nextCursor: next } : {}) };
}
