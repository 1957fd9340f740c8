import { principalId } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { draft } from '../contract-spec/samples.fixture.js';
import { approvalResources } from './approval-view.js';

const owners = { read: async () => (_: string, agentId: string) => `owner-of-${agentId}` };

async function partiesOf(requester: object): Promise<readonly string[]> {
  const asked = draft();
  const record = {
    draft: { ...asked, requester: { ...asked.requester, ...requester } },
    ...({ status: 'pending', createdAt: 1, votes: [] } as const),
  };
  const [resource] = await approvalResources([record], owners);
  return (resource?.parties ?? []).map(principalId);
}

describe('the parties of an approval', () => {
  it('are a user alone', async () => {
    expect(await partiesOf({ kind: 'user', subject: 'uma' })).toEqual(['User::"acme/uma"']);
  });

  it('are a user and the owner of the agent that acts for them', async () => {
    expect(await partiesOf({ kind: 'user', subject: 'uma', agent_id: 'coder' })).toEqual([
      'User::"acme/uma"',
      'User::"acme/owner-of-coder"',
    ]);
  });

  it('are an agent and its own owner, whichever other agent its token names', async () => {
    expect(await partiesOf({ kind: 'agent', subject: 'coder', agent_id: 'other' })).toEqual([
      'Agent::"acme/coder"',
      'User::"acme/owner-of-coder"',
    ]);
  });
});
