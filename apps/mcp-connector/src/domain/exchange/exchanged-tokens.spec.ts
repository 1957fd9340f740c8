import { CallId, ServerConfig, TenantId } from '@uar/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { HandClock } from '../hand-clock.fixture.js';
import type { ExpandedServer } from '../upstream.js';
import { CallerTokens } from './caller-tokens.js';
import { bindingOf } from '../account/credentials.js';
import { ExchangedTokens } from './exchanged-tokens.js';
import type { Granted, Hints } from '../account/ports.js';

const tenant = TenantId.parse('default');
const config = ServerConfig.parse({ transport: 'http', url: 'https://notes.example/mcp' });
const server: ExpandedServer = { tenant, name: 'notes', config, secrets: [], binding: bindingOf(config) };
const ada = { tenant, server: 'notes', principal: 'User::"default/ada"' };
const callOf = (n: number) => CallId.parse(`call_${String(n).repeat(32)}`);

describe('tokens that those of callers are exchanged for', () => {
  let clock: HandClock;
  let callers: CallerTokens;
  let asked: (readonly [token: string, hints: Hints])[];
  let answer: (token: string) => Granted | Promise<Granted>;
  let told: string[];
  let tokens: ExchangedTokens;
  const granted = (access_token: string, lifeMs?: number): Granted => ({
    kind: 'granted',
    credentials: {
      ...{ access_token, source: { issuer: 'https://as.example' } },
      ...(lifeMs === undefined ? {} : { expires_at: clock.now() + lifeMs }),
    },
  });
  const come = (n: number, token: string, lifeMs = 600_000) =>
    callers.hold(ada, callOf(n), { token, expiresAt: clock.now() + lifeMs });
  const tokenFor = (n?: number) => tokens.token({ server, callId: n === undefined ? undefined : callOf(n) });
  const renewFor = (n: number, refused: string, hints: Hints = {}) =>
    tokens.renew(refused, hints, { server, callId: callOf(n) });

  beforeEach(() => {
    clock = new HandClock();
    callers = new CallerTokens(() => clock.now());
    asked = [];
    answer = (token) => granted(`for ${token}`);
    const exchange = async (_server: ExpandedServer, token: string, hints: Hints) => {
      asked.push([token, hints]);
      return await answer(token);
    };
    told = [];
    tokens = new ExchangedTokens(ada, {
      ...{ callers, clock, servers: { exchange } },
      onNotExchanged: (_account, message) => told.push(message),
    });
  });

  it('are got once for all calls with the same token', async () => {
    come(1, 'a');
    come(2, 'a');
    expect(await Promise.all([tokenFor(1), tokenFor(2)])).toEqual([
      { kind: 'token', token: 'for a' },
      { kind: 'token', token: 'for a' },
    ]);
    expect(await tokenFor(1)).toEqual({ kind: 'token', token: 'for a' });
    expect(asked).toEqual([['a', {}]]);
    expect(tokens.secrets()).toEqual(['for a']);
  });

  it('are lent to no call that came with another token, or with none', async () => {
    come(1, 'a');
    come(2, 'b');
    expect(await tokenFor(1)).toEqual({ kind: 'token', token: 'for a' });
    expect(await tokenFor(2)).toEqual({ kind: 'token', token: 'for b' });
    expect(await tokenFor(3)).toMatchObject({ kind: 'auth_required', missing: 'caller_token_missing' });
    expect(await renewFor(3, 'for a')).toMatchObject({ missing: 'caller_token_missing' });
  });

  it('serve what is part of no call for as long as they are good', async () => {
    const over = come(1, 'a');
    expect(await tokenFor()).toEqual({ kind: 'token', token: 'for a' });
    over();
    expect(await tokenFor(1)).toMatchObject({ missing: 'caller_token_missing' });
    expect(await tokenFor()).toEqual({ kind: 'token', token: 'for a' });
    await clock.pass(600_000);
    expect(await tokenFor()).toMatchObject({ missing: 'caller_token_missing' });
  });

  it('end with the token that they were got for, and are replaced before they end', async () => {
    answer = () => granted(`got ${asked.length}`, 100_000);
    come(1, 'a', 150_000);
    expect(await tokenFor(1)).toEqual({ kind: 'token', token: 'got 1' });
    await clock.pass(79_000);
    expect(await tokenFor(1)).toEqual({ kind: 'token', token: 'got 1' });
    await clock.pass(2_000);
    expect(await tokenFor(1)).toEqual({ kind: 'token', token: 'got 2' });
    await clock.pass(69_000);
    expect(await tokenFor(1)).toMatchObject({ missing: 'caller_token_missing' });
  });

  it('still serve while nobody answers who would replace them', async () => {
    answer = () => granted('first', 100_000);
    come(1, 'a');
    await tokenFor(1);
    await clock.pass(85_000);
    answer = () => ({ kind: 'unreachable', message: 'away' });
    expect(await tokenFor(1)).toEqual({ kind: 'token', token: 'first' });
    await clock.pass(20_000);
    expect(await tokenFor(1)).toEqual({ kind: 'unavailable', message: 'away' });
  });

  it('are got anew when the upstream refuses one, with what it wants, and not twice in a row', async () => {
    answer = () => granted(`got ${asked.length}`);
    come(1, 'a');
    await tokenFor(1);
    expect(await renewFor(1, 'got 1', { scope: 'more' })).toEqual({ kind: 'token', token: 'got 2' });
    expect(await renewFor(1, 'got 1')).toEqual({ kind: 'token', token: 'got 2' });
    tokens.heard('refused', callOf(1));
    expect(await renewFor(1, 'got 2')).toEqual({ kind: 'auth_required', message: 'refused' });
    expect(asked).toEqual([
      ['a', {}],
      ['a', { scope: 'more' }],
    ]);
    await clock.pass(2_000);
    expect(await renewFor(1, 'got 2')).toEqual({ kind: 'token', token: 'got 3' });
    tokens.heard('refused', callOf(1));
    await clock.pass(2_000);
    expect(await renewFor(1, 'got 3')).toMatchObject({ kind: 'auth_required' });
    tokens.heard(undefined, callOf(1));
    expect(await renewFor(1, 'got 3')).toEqual({ kind: 'token', token: 'got 4' });
  });

  it('that are refused are asked for again after a while, and other callers meanwhile', async () => {
    answer = (token) => (token === 'a' ? { kind: 'refused', message: 'invalid_target' } : granted('b'));
    come(1, 'a');
    come(2, 'b');
    const refused = { kind: 'auth_required', message: 'invalid_target', missing: 'exchange_refused' };
    expect(await tokenFor(1)).toEqual(refused);
    expect(await tokenFor(1)).toEqual(refused);
    expect(await tokenFor(2)).toEqual({ kind: 'token', token: 'b' });
    expect(asked.length).toBe(2);
    expect(told).toEqual(['invalid_target']);
    await clock.pass(2_000);
    answer = () => granted('now');
    expect(await tokenFor(1)).toEqual({ kind: 'token', token: 'now' });
  });

  it('are remembered of the newest tokens of a principal alone', async () => {
    for (let n = 1; n <= 20; n++) {
      const over = come(1, `token ${n}`);
      await tokenFor(1);
      over();
    }
    expect(tokens.secrets().length).toBe(16);
    expect(tokens.secrets()).toContain('for token 20');
  });
});
