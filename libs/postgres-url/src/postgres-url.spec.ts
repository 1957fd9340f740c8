import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPostgresUrl } from './postgres-url.js';

function placeOf(url: string) {
  const read = readPostgresUrl(url);
  if (read.kind !== 'place') throw new Error(read.problem);
  return read.place;
}

describe('the URL of a database', () => {
  it('names user, host, port, database and schema', () => {
    expect(placeOf('postgres://uar%40acme@127.0.0.1:6543/plane?search_path=ledger')).toEqual({
      ...{ user: 'uar@acme', host: '127.0.0.1', port: 6543, database: 'plane', schema: 'ledger' },
      sslMode: 'disable',
    });
    expect(placeOf('postgresql://uar@[::1]/plane')).toMatchObject({ host: '::1', port: 5432 });
  });

  it('is encrypted to everywhere but this machine, and checked, unless it says something else', () => {
    const modeOf = (url: string) => placeOf(url).sslMode;
    for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]'])
      expect(modeOf(`postgres://uar@${host}/plane`), host).toBe('disable');
    for (const host of ['db.example', '10.0.0.1', '[2001:db8::1]', '127.evil.example', 'localhost.example'])
      expect(modeOf(`postgres://uar@${host}/plane`), host).toBe('verify-full');
    for (const mode of ['disable', 'require', 'verify-ca', 'verify-full'])
      expect(modeOf(`postgres://uar@db.example/plane?sslmode=${mode}`)).toBe(mode);
    expect(placeOf('postgres://uar@db.example/plane?sslrootcert=/etc/uar/ca.pem')).toMatchObject({
      ...{ sslMode: 'verify-full', rootCertificates: '/etc/uar/ca.pem' },
    });
  });

  it.each([
    ['no URL', 'host=db user=uar password=hunter2', 'is no URL such as postgres://user@host:5432/database'],
    ['another protocol', 'mysql://hunter2@host/plane', 'is no URL such as'],
    ['a port beyond all', 'postgres://hunter2@host:70000/plane', 'is no URL such as'],
    ['port 0, for which the driver takes another', 'postgres://hunter2@host:0/plane', 'names port 0'],
    ['no user', 'postgres://hunter2/plane', 'has to name user, host and database'],
    ['no host', 'postgres:///hunter2', 'has to name user, host and database'],
    ['no database', 'postgres://uar@hunter2', 'has to name user, host and database'],
    ['an empty database', 'postgres://uar@hunter2/', 'has to name user, host and database'],
    ['a path', 'postgres://uar@host/plane/hunter2', 'has to name user, host and database'],
    ['a socket', 'postgres://uar@%2Frun%2Fhunter2/plane', 'a host that is no name and no address'],
    ['two hosts', 'postgres://uar@hunter2,host/plane', 'a host that is no name and no address'],
    ['half a code', 'postgres://hunter2%@host/plane', 'is not percent-encoded'],
    ['bytes that are no text', 'postgres://uar@host/hunter2%ff', 'is not percent-encoded'],
    ['a setting behind the user', 'postgres://uar%00options%00hunter2@host/plane', 'is not percent-encoded'],
    [
      'a setting that nobody knows',
      'postgres://uar@host/plane?hunter2=off',
      'may have sslmode, sslrootcert, search_path after the database and nothing else',
    ],
    ['a fragment', 'postgres://uar@host/plane#hunter2', 'and nothing else'],
    [
      'a setting twice',
      'postgres://hunter2@host/plane?sslmode=verify-full&sslmode=disable',
      'has sslmode more than once',
    ],
    ['several schemas', 'postgres://uar@host/plane?search_path=hunter2,b', 'is not one name of a schema'],
    ['no file of certificates', 'postgres://hunter2@host/plane?sslrootcert=', 'names no file'],
    [
      'a mode that encrypts now and then',
      'postgres://hunter2@host/plane?sslmode=prefer',
      'an sslmode that is none of disable, require, verify-ca, verify-full',
    ],
    ['an empty mode', 'postgres://hunter2@host/plane?sslmode=', 'an sslmode that is none of'],
  ])('is refused with %s, and not repeated', (_, url, problem) => {
    const read = readPostgresUrl(url);
    expect(read).toEqual({ kind: 'bad', problem: expect.stringContaining(problem) });
    expect(JSON.stringify(read)).not.toContain('hunter2');
  });

  it.each([
    ['where passwords are', 'postgres://uar:hunter2@host/plane'],
    ['in the query', 'postgres://uar@host/plane?sslmode=prefer&password=hunter2'],
    ['of another kind of database', 'mysql://uar:hunter2@host/plane'],
    ['without a user', 'postgres://:hunter2@host/plane'],
  ])('is refused with a password %s, and not repeated', (_, url) => {
    expect(readPostgresUrl(url)).toEqual({ kind: 'holds_password', problem: 'holds a password' });
  });

  it('is read back as it was written, whatever the names are', () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => !text.includes('\0') && text !== '.' && text !== '..');
    fc.assert(
      fc.property(name, name, fc.integer({ min: 1, max: 65_535 }), (user, database, port) => {
        const url = `postgres://${encodeURIComponent(user)}@db.example:${port}/${encodeURIComponent(database)}`;
        expect(placeOf(url)).toMatchObject({ user, database, port });
      }),
    );
  });

  it('is answered for, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (rest) => {
        expect(['place', 'holds_password', 'bad']).toContain(readPostgresUrl(`postgres://${rest}`).kind);
      }),
    );
  });
});
