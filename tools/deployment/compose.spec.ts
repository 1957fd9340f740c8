import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import {
  canRun,
  complaints,
  grantReaders,
  natsPasswords,
  passwordOf,
  read,
  root,
  run,
  services,
  unread,
} from './deployment.fixture.js';

const hasCompose = canRun('docker-compose', ['version']);
const hasOpenssl = canRun('openssl', ['version']);
const scratch = mkdtempSync(join(tmpdir(), 'uar-deployment-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const Compose = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      user: z.string().optional(),
      group_add: z.array(z.string()).default([]),
      environment: z.record(z.string(), z.string()).default({}),
      secrets: z.array(z.string()).default([]),
    }),
  ),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});
const compose = Compose.parse(parse(read('docker-compose.yml'), { merge: true }));
const Postgres = Compose.extend({
  services: z.strictObject({
    postgres: z.looseObject({
      image: z.string(),
      environment: z.record(z.string(), z.string()),
      secrets: z.array(z.string()),
      healthcheck: z.looseObject({ test: z.array(z.string()) }),
    }),
    'approval-service': z.strictObject({
      deploy: z.strictObject({ replicas: z.number() }),
      environment: z.record(z.string(), z.string()),
      secrets: z.array(z.string()),
      depends_on: z.strictObject({ postgres: z.strictObject({ condition: z.literal('service_healthy') }) }),
    }),
  }),
});
const withPostgres = Postgres.parse(parse(read('docker-compose.postgres.yml')));

function composed(service: string) {
  const found = compose.services[service];
  if (found === undefined) throw new Error(`no service ${service}`);
  return found;
}

describe('docker-compose', () => {
  it.each(services)('gives %s variables it reads, and every file they name', (service) => {
    const { environment, secrets, user, group_add } = composed(service);
    expect(unread(Object.keys(environment))).toEqual([]);
    expect(complaints(environment)).toEqual([]);
    const files = Object.keys(environment).filter((name) => name.endsWith('_FILE'));
    const mounted = secrets.map((secret) => `/run/secrets/${secret}`);
    expect(files.map((name) => environment[name]).sort()).toEqual([...mounted].sort());
    expect(environment['UAR_NATS_USER']).toBe(service);
    expect({ user, group_add }).toEqual({ user: '10001:10001', group_add: ['${UAR_SECRETS_GID:-10001}'] });
  });

  it('gives the grant key to those who execute and to the decider alone, the receipt key to the ledger', () => {
    const having = (name: string): string[] =>
      services.filter((service) => name in composed(service).environment);
    expect(having('UAR_GRANT_PUBLIC_FILE')).toEqual(grantReaders);
    expect(having('UAR_GRANT_PRIVATE_FILE')).toEqual(['governance-decider']);
    expect(having('UAR_RECEIPT_PRIVATE_FILE')).toEqual(['approval-service']);
  });

  it('with PostgreSQL gives the ledger its database, to two replicas that the first file makes whole', () => {
    const { postgres, 'approval-service': added } = withPostgres.services;
    const { environment, secrets } = composed('approval-service');
    const whole = { ...environment, ...added.environment };
    expect(unread(Object.keys(whole))).toEqual([]);
    expect(complaints(whole)).toEqual([]);
    const url = new URL(added.environment['UAR_LEDGER_URL'] ?? '');
    expect([url.username, url.hostname, url.pathname]).toEqual([
      postgres.environment['POSTGRES_USER'],
      'postgres',
      `/${postgres.environment['POSTGRES_DB']}`,
    ]);
    const password = postgres.environment['POSTGRES_PASSWORD_FILE'] ?? '';
    expect(added.environment['UAR_LEDGER_PASSWORD_FILE']).toBe(password);
    for (const mounted of [added.secrets, postgres.secrets])
      expect(mounted).toEqual([password.replace('/run/secrets/', '')]);
    expect(Object.keys(withPostgres.secrets)).toEqual(postgres.secrets);
    expect(secrets).not.toContain('ledger_password');
    expect(added.deploy.replicas).toBe(2);
    expect(postgres.image).toMatch(/^postgres:\d+\.\d+-/);
  });

  it('knows every password that nats.conf asks for', () => {
    expect(natsPasswords).toEqual(services.map(passwordOf).sort());
  });
});

describe.skipIf(!hasOpenssl)('deploy/compose/make-secrets (needs openssl)', () => {
  const script = join(scratch, 'deploy/compose/make-secrets');
  const isRoot = process.getuid?.() === 0;
  const make = (): string => run('sh', [script]);
  const named = { ...compose.secrets, ...withPostgres.secrets };

  it('makes every secret that the compose files name, for the user of the image', () => {
    mkdirSync(dirname(script), { recursive: true });
    copyFileSync(join(root, 'deploy/compose/make-secrets'), script);
    const said = make();
    for (const { file } of Object.values(named)) {
      const { size, uid, mode } = statSync(join(scratch, file));
      expect(size, file).toBeGreaterThan(0);
      expect(mode & 0o777, file).toBe(isRoot ? 0o600 : 0o640);
      if (isRoot) expect(uid, file).toBe(10_001);
    }
    if (!isRoot) expect(said).toContain('UAR_SECRETS_GID=');
  });

  it('writes the passwords under the names of nats.conf', () => {
    const lines = readFileSync(join(scratch, 'deploy/compose/passwords.env'), 'utf8').trim().split('\n');
    expect(lines.map((line) => line.split('=')[0]).sort()).toEqual(natsPasswords);
    for (const line of lines) expect(line).toMatch(/^\w+=pw[0-9a-f]{48}$/);
  });

  it('keeps what is there', () => {
    const files = Object.values(named).map(({ file }) => join(scratch, file));
    const before = files.map((file) => readFileSync(file, 'utf8'));
    make();
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(before);
  });

  it.skipIf(!hasCompose)('is all that docker-compose config asks for (needs docker-compose)', () => {
    const files = ['docker-compose.yml', 'docker-compose.postgres.yml'];
    for (const file of files) copyFileSync(join(root, file), join(scratch, file));
    const config = run('docker-compose', [...files.flatMap((file) => ['-f', join(scratch, file)]), 'config']);
    expect(
      Object.keys(z.object({ services: z.record(z.string(), z.unknown()) }).parse(parse(config)).services),
    ).toEqual(expect.arrayContaining([...services, 'postgres']));
  });
});
