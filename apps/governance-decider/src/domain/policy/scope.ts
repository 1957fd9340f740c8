import type { Uid } from '../cedar/cedar.js';
import type { ActionScope, PartyScope } from './policy-json.js';

/** Groups of actions in the schema, by member. */
const actionGroups: Readonly<Record<string, readonly string[]>> = {
  discoverTool: ['use'],
  callTool: ['use', 'invoke'],
  callToolUnattended: ['invoke'],
  callToolApproved: ['invoke'],
};

export type ToolAction = 'discoverTool' | 'callTool' | 'callToolUnattended' | 'callToolApproved';

/** What is asked about the approval of every call that has one. */
export type ApprovalAction = 'approve' | 'viewApproval';

export function coversAction(scope: ActionScope, action: ToolAction | ApprovalAction): boolean {
  if (scope.kind === 'any') return true;
  return (
    scope.ids.includes(action) || (actionGroups[action] ?? []).some((group) => scope.ids.includes(group))
  );
}

/** An entity with all its ancestors. */
export interface Placed {
  readonly uid: Uid;
  readonly ancestors: readonly Uid[];
}

export function coversEntity(scope: PartyScope, entity: Placed): boolean {
  switch (scope.op) {
    case 'All':
      return true;
    case '==':
      return same(scope.entity, entity.uid);
    case 'in':
      return isIn(scope.entity, entity);
    case 'is':
      return (
        scope.entity_type === entity.uid.type && (scope.in === undefined || isIn(scope.in.entity, entity))
      );
  }
}

function isIn(ancestor: { type: string; id: string }, entity: Placed): boolean {
  return same(ancestor, entity.uid) || entity.ancestors.some((uid) => same(ancestor, uid));
}

function same(left: { type: string; id: string }, right: { type: string; id: string }): boolean {
  return left.type === right.type && left.id === right.id;
}
