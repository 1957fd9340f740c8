import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@uar/config';
import { parse, parseAllDocuments } from 'yaml';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { configVariables } from '../libs/config/src/sources/environment.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const scratch = mkdtempSync(join(tmpdir(), 'uar-deployment-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const services = [
  'gateway',
  'catalog-registry',
  'governance-decider',
  'approval-service',
  'mcp-connector',
  'native-tool-host',
];
/** Those that check signatures, and the one that makes them. */
const grantReaders = ['governance-decider', 'mcp-connector', 'native-tool-host'];
/** Read by libs/service, not by the configuration. */
const processVariables = ['UAR_CONFIG', 'UAR_NATS_USER', 'UAR_NATS_PASSWORD_FILE', 'UAR_PROBE_PORT'];

function canRun(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
const hasKubectl = canRun('kubectl', ['version', '--client']);
const hasCompose = canRun('docker-compose', ['version']);
const hasOpenssl = canRun('openssl', ['version']);
const run = (program: string, args: readonly string[], input?: string): string =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'pipe'] });

/** Names of variables that no service reads. */
const unread = (names: readonly string[]): string[] =>
  names.filter(
    (name) => name.startsWith('UAR_') && !(name in configVariables) && !processVariables.includes(name),
  );

/** Why a service with this environment would not start, or would complain. */
function complaints(environment: Readonly<Record<string, string>>): unknown[] {
  const env = { ...environment, UAR_CONFIG: join(root, 'deploy/config/server-full.yaml') };
  const loaded = loadConfig({ env, cwd: scratch });
  return loaded.kind === 'bad' ? [...loaded.problems] : [...loaded.warnings];
}

const natsPasswords = [...read('deploy/nats/nats.conf').matchAll(/password: \$(\w+)/g)]
  .map(([, name]) => name)
  .sort();
const passwordOf = (service: string): string =>
  `UAR_NATS_${service.toUpperCase().replaceAll('-', '_')}_PASSWORD`;

const Kind = z.looseObject({ kind: z.string() });
const Workload = z.looseObject({
  kind: z.enum(['Deployment', 'StatefulSet']),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    replicas: z.number(),
    strategy: z.looseObject({ type: z.string() }).optional(),
    template: z.looseObject({
      spec: z.looseObject({
        containers: z.array(
          z.looseObject({
            env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
            ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
            readinessProbe: z
              .looseObject({ httpGet: z.looseObject({ port: z.string() }).optional() })
              .optional(),
          }),
        ),
        volumes: z
          .array(
            z.looseObject({
              projected: z
                .looseObject({
                  sources: z.array(
                    z.object({
                      secret: z.object({
                        name: z.string(),
                        items: z.array(z.object({ key: z.string(), path: z.string() })),
                      }),
                    }),
                  ),
                })
                .optional(),
            }),
          )
          .default([]),
      }),
    }),
  }),
});

const documents = (text: string): unknown[] =>
  parseAllDocuments(text).map((document): unknown => document.toJS());

/** Deployments and StatefulSets of a text of several documents, by name. */
function workloads(text: string): Map<string, z.output<typeof Workload>> {
  const found = documents(text)
    .filter((document) => ['Deployment', 'StatefulSet'].includes(Kind.parse(document).kind))
    .map((document) => Workload.parse(document));
  return new Map(found.map((one) => [one.metadata.name, one]));
}

const base = workloads(
  readdirSync(join(root, 'k8s/base'))
    .map((file) => read(`k8s/base/${file}`))
    .join('\n---\n'),
);

/** The one container of a service: environment, ports and where its secrets lie. */
function pod(service: string) {
  const workload = base.get(service);
  const container = workload?.spec.template.spec.containers[0];
  if (workload === undefined || container === undefined) throw new Error(`no workload ${service}`);
  const secrets = workload.spec.template.spec.volumes
    .flatMap(({ projected }) => projected?.sources ?? [])
    .flatMap(({ secret }) => secret.items.map(({ path }) => `/run/secrets/uar/${path}`));
  const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
  return { workload, container, env, secrets };
}

describe('k8s', () => {
  it('has no probes but those of the services', () => {
    const probed = [...base.values()].filter(({ spec }) =>
      spec.template.spec.containers.some(
        ({ env, readinessProbe }) =>
          readinessProbe?.httpGet !== undefined || env.some(({ name }) => name === 'UAR_PROBE_PORT'),
      ),
    );
    expect(probed.map(({ metadata }) => metadata.name).sort()).toEqual([...services].sort());
  });

  it.each(services)('lets the kubelet reach the probes of %s', (service) => {
    const { env, container } = pod(service);
    expect(env['UAR_MANAGEMENT_HOST']).toBe('0.0.0.0');
    const probed = container.ports.find(({ name }) => name === container.readinessProbe?.httpGet?.port);
    expect(probed?.containerPort).toBe(service === 'gateway' ? 1907 : Number(env['UAR_PROBE_PORT']));
  });

  it.each(services)('gives %s variables it reads, and every file they name', (service) => {
    const { env, secrets } = pod(service);
    expect(unread(Object.keys(env))).toEqual([]);
    expect(complaints(env)).toEqual([]);
    const files = Object.keys(env).filter((name) => name.endsWith('_FILE'));
    expect(files.map((name) => env[name]).sort()).toEqual([...secrets].sort());
    expect(env['UAR_NATS_USER']).toBe(service);
  });

  it('gives the grant key to the hosts and the decider alone', () => {
    const readers = services.filter((service) => 'UAR_GRANT_PUBLIC_FILE' in pod(service).env);
    expect(readers).toEqual(grantReaders);
    const signers = services.filter((service) => 'UAR_GRANT_PRIVATE_FILE' in pod(service).env);
    expect(signers).toEqual(['governance-decider']);
  });

  it('never runs two writers of the catalog or of the ledger', () => {
    const registry = pod('catalog-registry').workload;
    expect(registry).toMatchObject({
      kind: 'Deployment',
      spec: { replicas: 1, strategy: { type: 'Recreate' } },
    });
    const ledger = pod('approval-service').workload;
    expect(ledger).toMatchObject({ kind: 'StatefulSet', spec: { replicas: 1 } });
  });

  it('keeps the ledger in a folder that its service can make its own', () => {
    expect(pod('approval-service').env['UAR_DATA_DIR']).toMatch(/^\/var\/lib\/uar\/./);
  });

  it('lets metrics and probes through the network policies', () => {
    const policies = documents(read('k8s/base/network.yaml'));
    expect(policies).toContainEqual(
      expect.objectContaining({
        metadata: { name: 'gateway' },
        spec: expect.objectContaining({
          ingress: expect.arrayContaining([
            expect.objectContaining({ ports: [{ port: 1906 }] }),
            expect.objectContaining({ ports: [{ port: 1907 }], from: expect.anything() }),
          ]),
        }),
      }),
    );
    expect(policies).toContainEqual(
      expect.objectContaining({
        metadata: { name: 'probes' },
        spec: expect.objectContaining({ ingress: [{ ports: [{ port: 8080 }] }] }),
      }),
    );
  });

  it('has the ingress in prod', () => {
    expect(parse(read('k8s/overlays/prod/kustomization.yaml'))).toMatchObject({
      components: ['../../components/ingress'],
    });
  });
});

describe.skipIf(!hasKubectl)('k8s overlays (needs kubectl)', () => {
  const build = (overlay: string): string =>
    run('kubectl', ['kustomize', '--load-restrictor', 'LoadRestrictionsNone', `k8s/overlays/${overlay}`]);

  it.each(['dev', 'prod'])('%s is built, and every document is of its type', (overlay) => {
    const text = build(overlay);
    const decoded = run('kubectl', ['label', '--local', '-f', '-', 'x=y', '-o', 'yaml'], text);
    const kinds = (of: string): number => of.match(/^ {0,2}kind: (?!List)/gm)?.length ?? 0;
    expect(kinds(decoded)).toBe(documents(text).length);
    expect(text.includes('kind: Ingress\n')).toBe(overlay === 'prod');
    const built = workloads(text);
    expect(built.get('catalog-registry')?.spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'Recreate' },
    });
    expect(built.get('approval-service')?.spec.replicas).toBe(1);
  });
});

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

  it('gives the grant key to the hosts and the decider alone, the receipt key to the ledger', () => {
    const having = (name: string): string[] =>
      services.filter((service) => name in composed(service).environment);
    expect(having('UAR_GRANT_PUBLIC_FILE')).toEqual(grantReaders);
    expect(having('UAR_GRANT_PRIVATE_FILE')).toEqual(['governance-decider']);
    expect(having('UAR_RECEIPT_PRIVATE_FILE')).toEqual(['approval-service']);
  });

  it('knows every password that nats.conf asks for', () => {
    expect(natsPasswords).toEqual(services.map(passwordOf).sort());
  });
});

describe.skipIf(!hasOpenssl)('deploy/compose/make-secrets (needs openssl)', () => {
  const script = join(scratch, 'deploy/compose/make-secrets');
  const isRoot = process.getuid?.() === 0;
  const make = (): string => run('sh', [script]);

  it('makes every secret that docker-compose.yml names, for the user of the image', () => {
    mkdirSync(dirname(script), { recursive: true });
    copyFileSync(join(root, 'deploy/compose/make-secrets'), script);
    const said = make();
    for (const { file } of Object.values(compose.secrets)) {
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
    const files = Object.values(compose.secrets).map(({ file }) => join(scratch, file));
    const before = files.map((file) => readFileSync(file, 'utf8'));
    make();
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(before);
  });

  it.skipIf(!hasCompose)('is all that docker-compose config asks for (needs docker-compose)', () => {
    copyFileSync(join(root, 'docker-compose.yml'), join(scratch, 'docker-compose.yml'));
    const config = run('docker-compose', ['-f', join(scratch, 'docker-compose.yml'), 'config']);
    expect(
      Object.keys(z.object({ services: z.record(z.string(), z.unknown()) }).parse(parse(config)).services),
    ).toEqual(expect.arrayContaining(services));
  });
});

describe('the image', () => {
  const [build = '', final = ''] = read('Dockerfile')
    .split(/^(?=FROM )/m)
    .slice(-2);
  const copied = (stage: string): string[] =>
    [...stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));
  const Manifest = z.looseObject({
    scripts: z.record(z.string(), z.string()).default({}),
    dependencies: z.record(z.string(), z.string()).default({}),
    devDependencies: z.record(z.string(), z.string()).default({}),
  });
  const manifest = (path: string) => Manifest.parse(JSON.parse(read(path)));

  it('builds where all that the build scripts run is copied', () => {
    expect(build).toMatch(/^FROM node:20-bookworm AS build$/m);
    expect(copied(build)).toEqual(
      expect.arrayContaining(['package.json', 'package-lock.json', 'nx.json', 'tools']),
    );
    for (const kind of ['libs', 'apps']) {
      expect(copied(build)).toContain(kind);
      for (const name of readdirSync(join(root, kind)))
        expect(manifest(`${kind}/${name}/package.json`).scripts['build'], name).toMatch(
          /^node \.\.\/\.\.\/tools\/build-package\.mjs/,
        );
    }
    expect(build).toContain('npm prune --omit=dev');
  });

  it('has the development proxy in no layer', () => {
    for (const path of ['apps/jwt-dev-proxy', 'apps/uar', 'libs/testkit']) expect(build).toMatch(`${path} `);
    expect(build.indexOf('RUN rm -rf')).toBeGreaterThan(build.indexOf('npm prune'));
    expect(final).not.toMatch(/^RUN rm/m);
  });

  it('has no sample upstreams', () => {
    const { dependencies, devDependencies } = manifest('package.json');
    for (const name of [
      '@modelcontextprotocol/server-everything',
      '@modelcontextprotocol/server-filesystem',
    ]) {
      expect(dependencies).not.toHaveProperty([name]);
      expect(devDependencies).toHaveProperty([name]);
    }
  });

  it('runs as the user that secrets and volumes belong to', () => {
    expect(final).toMatch(/^USER 10001:10001$/m);
    expect(final).toContain('groupadd --gid 10001');
  });

  it('takes neither keys nor passwords along', () => {
    expect(read('.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(['deploy/compose', '.uar', '.git', '**/node_modules']),
    );
  });

  it('runs the services there are', () => {
    for (const service of services) expect(read('deploy/run-service')).toContain(service);
    expect(readdirSync(join(root, 'apps'))).toEqual(expect.arrayContaining(services));
  });
});

it('ships the licence that package.json names', () => {
  expect(parse(read('package.json'))).toMatchObject({ license: 'Apache-2.0' });
  expect(read('LICENSE')).toMatch(/Apache License\s+Version 2\.0[\s\S]+END OF TERMS AND CONDITIONS/);
});
