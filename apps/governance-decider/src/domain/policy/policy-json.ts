import { z } from 'zod';

/** The parts of Cedar's JSON form of a policy that we read; conditions are walked as they are. */
const EntityUid = z
  .union([
    z.object({ __entity: z.object({ type: z.string(), id: z.string() }) }),
    z.object({ type: z.string(), id: z.string() }),
  ])
  .transform((uid) => ('__entity' in uid ? uid.__entity : uid));

const PartyScope = z.union([
  z.object({ op: z.literal('All') }),
  z.object({ op: z.literal('=='), entity: EntityUid }),
  z.object({ op: z.literal('in'), entity: EntityUid }),
  z.object({ op: z.literal('is'), entity_type: z.string(), in: z.object({ entity: EntityUid }).optional() }),
]);
export type PartyScope = z.output<typeof PartyScope>;

const ActionScope = z
  .union([
    z.object({ op: z.literal('All') }),
    z.object({ op: z.literal('=='), entity: EntityUid }),
    z.object({ op: z.literal('in'), entity: EntityUid }),
    z.object({ op: z.literal('in'), entities: z.array(EntityUid) }),
  ])
  .transform((scope) => {
    if (scope.op === 'All') return { kind: 'any' as const };
    const entities = 'entities' in scope ? scope.entities : [scope.entity];
    return { kind: 'listed' as const, ids: entities.map((entity) => entity.id) };
  });
export type ActionScope = z.output<typeof ActionScope>;

export const PolicyJson = z.object({
  effect: z.enum(['permit', 'forbid']),
  principal: PartyScope,
  action: ActionScope,
  resource: PartyScope,
  conditions: z.array(z.object({ kind: z.enum(['when', 'unless']), body: z.unknown() })),
  annotations: z.record(z.string(), z.string().nullable()).optional(),
});
export type PolicyJson = z.output<typeof PolicyJson>;
