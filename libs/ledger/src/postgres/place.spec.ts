import { describe, expect, it } from 'vitest';
import { nameOf, placeOf, tlsOf } from './place.js';

describe('the URL of a ledger', () => {
  it('names user, host, port, database and schema', () => {
    const place = placeOf('postgres://uar%40acme@127.0.0.1:6543/plane?search_path=ledger');
    expect(place).toMatchObject({
      user: 'uar@acme',
      host: '127.0.0.1',
      port: 6543,
      database: 'plane',
      schema: 'ledger',
    });
    expect(nameOf(place)).toBe('127.0.0.1:6543/plane (schema ledger)');
    expect(placeOf('postgresql://uar@[::1]/plane')).toMatchObject({ host: '::1', port: 5432 });
  });

  it.each([
    ['no URL', 'somewhere', 'it is none'],
    ['another protocol', 'http://uar@host/plane', 'it is none'],
    ['a password, and does not repeat it', 'postgres://uar:hunter2@host/plane', 'it has a password'],
    ['no user', 'postgres://host/plane', 'user, host and database'],
    ['no database', 'postgres://uar@host', 'user, host and database'],
    ['a setting that nobody knows', 'postgres://uar@host/plane?fsync=off', 'fsync is none of'],
    ['several schemas', 'postgres://uar@host/plane?search_path=a,b', 'one name of a schema'],
    ['a mode that encrypts now and then', 'postgres://uar@host/plane?sslmode=prefer', 'sslmode is one of'],
  ])('is refused with %s', (_, url, problem) => {
    expect(() => placeOf(url)).toThrow(problem);
    expect(() => placeOf(url)).not.toThrow('hunter2');
  });

  it('encrypts to everywhere but this machine, and checks who is there, unless it says something else', () => {
    const tls = (url: string) => tlsOf(placeOf(url));
    expect(tls('postgres://uar@localhost/plane')).toBe(false);
    expect(tls('postgres://uar@db.example/plane')).toEqual({});
    expect(tls('postgres://uar@db.example/plane?sslmode=disable')).toBe(false);
    expect(tls('postgres://uar@db.example/plane?sslmode=require')).toEqual({ rejectUnauthorized: false });
  });
});
