import { type Body, clientAt, type Client } from '../client.js';
import { oneOf, pause, type Chance } from './chance.js';
import type { Door, Journal } from './history.js';
import type { Plane } from './plane.js';

/** Decides whatever is pending, through either gateway; two of them often vote on the same question at once. */
export async function decideApprovals(options: {
  readonly name: string;
  readonly plane: Plane;
  readonly journal: Journal;
  readonly chance: Chance;
  readonly going: () => boolean;
}): Promise<void> {
  const { name, plane, chance, going } = options;
  while (going()) {
    const door = oneOf<Door>(chance, ['A', 'B']) ?? 'A';
    const client = clientAt(plane.doors[door], plane.product.token({ sub: name, roles: ['admin'] }));
    const pending = await pendingOf(client);
    for (const approval of pending) {
      // Some are left to expire.
      if (chance() < 0.05) continue;
      await vote(client, options.journal, String(approval['approval_id']), chance() < 0.85);
    }
    await pause(50);
  }
}

async function pendingOf(client: Client): Promise<readonly Body[]> {
  const answer = await client.get('/api/uar/approvals?status=pending').catch(() => undefined);
  return (answer?.body['approvals'] ?? []) as unknown as Body[];
}

async function vote(client: Client, journal: Journal, approvalId: string, isYes: boolean): Promise<void> {
  const decision = isYes ? 'approve' : 'reject';
  const body = { decision };
  const answer = await client
    .request(`/api/uar/approvals/${approvalId}/decision`, { body })
    .catch(() => undefined);
  journal.note({
    kind: 'voted',
    at: Date.now(),
    approval_id: approvalId,
    decision,
    status: answer?.status ?? 0,
  });
}
