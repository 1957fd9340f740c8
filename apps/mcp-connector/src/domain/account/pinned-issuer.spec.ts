import { ServerConfig, TenantId } from '@uar/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ExpandedServer } from '../upstream.js';
import { bindingOf } from './credentials.js';
import { pinnedIssuer } from './pinned-issuer.js';
import type { Refusal } from './ports.js';
import { Shelf } from './shelf.fixture.js';

const url = 'https://notes.example/mcp';
const secret = { client_id: 'us', client_secret: 's' };
const [one, two] = ['https://one.example', 'https://two.example'];

describe('the issuer that may see the secrets of a client', () => {
  let shelf: Shelf;
  let found: string | Refusal;
  let searches: number;
  beforeEach(() => {
    shelf = new Shelf();
    found = one;
    searches = 0;
  });

  const server = (auth: object): ExpandedServer => {
    const config = ServerConfig.parse({ transport: 'http', url, auth: { type: 'oauth', ...auth } });
    const tenant = TenantId.parse('default');
    return { tenant, name: 'notes', config, secrets: [], binding: bindingOf(config) };
  };
  const pinned = async (auth: object = secret): Promise<unknown> => {
    const never = () => Promise.reject(new Error('not asked for here'));
    const issuer = () => {
      searches += 1;
      return Promise.resolve(typeof found === 'string' ? ({ kind: 'found', issuer: found } as const) : found);
    };
    const servers = {
      ...{ begin: never, finish: never, refresh: never, clientCredentials: never },
      ...{ exchange: never, revoke: never },
    };
    const got = await pinnedIssuer(server(auth), {}, { store: shelf, servers: { ...servers, issuer } });
    return got.kind === 'pinned' ? got.issuer : got;
  };

  it('is the first that is found, written before anybody is sent anything', async () => {
    expect(await pinned()).toBe(one);
    expect(shelf.kept).toEqual({ revision: 1, issuer: one });
    found = two;
    expect(await pinned()).toBe(one);
    expect(searches).toBe(1);
  });

  it('is the one whose tokens there are', async () => {
    shelf.kept = { revision: 3, credentials: { access_token: 'a', source: { issuer: two } } };
    expect(await pinned()).toBe(two);
    expect(searches).toBe(0);
  });

  it('is nobody in particular where there is no secret, or where the configuration says who', async () => {
    const machine = { ...secret, flow: 'client_credentials' };
    for (const auth of [
      {},
      { client_id: 'us' },
      { ...secret, issuer: one },
      { ...machine, token_endpoint: `${one}/token` },
    ])
      expect(await pinned(auth)).toBeUndefined();
    expect(shelf.kept).toEqual({ revision: 0 });
    for (const auth of [{ client_id: 'us', private_key: 'k' }, machine]) {
      shelf = new Shelf();
      expect(await pinned(auth)).toBe(one);
    }
  });

  it('is the one that another connector wrote meanwhile', async () => {
    const write = shelf.write.bind(shelf);
    shelf.write = (account, next) => {
      shelf.write = write;
      shelf.kept = { revision: 1, issuer: two };
      return write(account, next);
    };
    expect(await pinned()).toBe(two);
  });

  it('is unknown while the ledger is away or nobody is found', async () => {
    found = { kind: 'refused', message: 'no metadata' };
    expect(await pinned()).toEqual(found);
    shelf.isAway = true;
    expect(await pinned()).toMatchObject({ kind: 'unreachable' });
  });
});
