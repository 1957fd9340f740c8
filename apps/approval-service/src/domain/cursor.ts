import type { ApprovalRecord } from './ports.js';

interface Place {
  readonly createdAt: number;
  readonly approvalId: string;
}

/** Names the last record of a page; opaque to whoever carries it. */
export function cursorOf({ createdAt, draft }: ApprovalRecord): string {
  return `${createdAt}.${draft.approval_id}`;
}

/** Undefined for a text that is no cursor of ours. */
export function placeOf(cursor: string): Place | undefined {
  const [, createdAt, approvalId] = /^(\d{1,15})\.(appr_[0-9a-f]{32})$/.exec(cursor) ?? [];
  return createdAt === undefined || approvalId === undefined
    ? undefined
    : { createdAt: Number(createdAt), approvalId };
}
