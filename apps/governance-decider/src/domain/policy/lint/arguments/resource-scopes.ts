import type { PartyScope, PolicyJson } from '../../policy-json.js';
import { chain, isExpression, isVariable, operands } from '../expressions.js';

/** What the resource must be: the policy's scope, and what each `when` demands of it besides. */
export function resourceScopes(json: PolicyJson): readonly PartyScope[] {
  const demands = json.conditions
    .filter(({ kind }) => kind === 'when')
    .flatMap(({ body }) => chain(body, '&&'))
    .flatMap((part) => demandOf(part) ?? []);
  return [json.resource, ...demands];
}

function demandOf(part: unknown): PartyScope | undefined {
  for (const op of ['==', 'in'] as const) {
    const sides = operands(part, op);
    const entity =
      sides !== undefined && isVariable(sides.left, 'resource') ? entityIn(sides.right) : undefined;
    if (entity !== undefined) return { op, entity };
  }
  const is = isExpression(part) ? part['is'] : undefined;
  if (!isExpression(is) || !isVariable(is['left'], 'resource')) return undefined;
  const within = is['in'] === undefined ? undefined : entityIn(is['in']);
  const entity_type = String(is['entity_type']);
  if (is['in'] !== undefined && within === undefined) return { op: 'is', entity_type };
  return { op: 'is', entity_type, ...(within === undefined ? {} : { in: { entity: within } }) };
}

function entityIn(expression: unknown): { type: string; id: string } | undefined {
  const value = isExpression(expression) ? expression['Value'] : undefined;
  const entity = isExpression(value) ? value['__entity'] : undefined;
  if (!isExpression(entity)) return undefined;
  const { type, id } = entity;
  return typeof type === 'string' && typeof id === 'string' ? { type, id } : undefined;
}
