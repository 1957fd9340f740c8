import { CallId, InstanceId, type CatalogServer } from '@uar/contracts';
import { createJweRecipient } from '@uar/keys';
import { describe, expect, it } from 'vitest';
import { noteBearer, shareBearer } from '../../domain/access/caller-bearers.js';
import { caller } from '../../domain/call-spec/facts.fixture.js';
import { SealedCallerTokens } from './sealed-caller-tokens.js';

const host = InstanceId.parse('a'.repeat(16));
const callId = CallId.parse(`call_${'1'.repeat(32)}`);
const server: CatalogServer = {
  ...{ tenant: caller.principal.tenant, name: 'notes', host: 'mcp', status: 'ready', instances: [host] },
};

describe('the token of a caller, for the host that acts by it', () => {
  const recipient = createJweRecipient();
  const tokenKeyOf = (instance: InstanceId) => (instance === host ? recipient.publicJwk : undefined);
  const tokens = new SealedCallerTokens({ tokenKeyOf }, { now: () => 1_000 });
  const callerWith = (token?: string, expires_at = 2_000) => {
    const principal = { ...caller.principal, expires_at };
    if (token !== undefined) noteBearer(principal, token);
    return { ...caller, principal };
  };
  const read = async (...callers: readonly ReturnType<typeof callerWith>[]) => {
    const sealed = await tokens.forHost({ callId, callers }, server, host);
    return sealed === undefined ? undefined : JSON.parse(await recipient.decrypt(sealed));
  };

  it('is for one call to one server', async () => {
    expect(await read(callerWith('one'))).toEqual({
      ...{ call_id: callId, tenant: server.tenant, server: 'notes', token: 'one', expires_at: 2_000 },
    });
  });

  it('is the one that is good for longest of those that came with the call', async () => {
    expect(await read(callerWith('old', 1_500), callerWith(), callerWith('new', 3_000))).toMatchObject({
      token: 'new',
    });
  });

  it('is none where nobody brought one, where it has ended, and where the host takes none', async () => {
    expect(await read(callerWith())).toBeUndefined();
    expect(await read(callerWith('ended', 1_000))).toBeUndefined();
    const elsewhere = InstanceId.parse('b'.repeat(16));
    const ask = { callId, callers: [callerWith('one')] };
    expect(await tokens.forHost(ask, server, elsewhere)).toBeUndefined();
  });

  it('serves an agent that acts for its principal, and stands in no principal', async () => {
    const { principal } = callerWith('one');
    const acting = { ...principal, agent_id: 'helper' };
    shareBearer(principal, acting);
    expect(await read({ ...caller, principal: acting })).toMatchObject({ token: 'one' });
    expect(JSON.stringify(principal)).not.toContain('one');
  });
});
