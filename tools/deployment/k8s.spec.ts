import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { canRun, complaints, grantReaders, read, root, run, services, unread } from './deployment.fixture.js';

const hasKubectl = canRun('kubectl', ['version', '--client']);

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

  it('gives the grant key to those who execute and to the decider alone', () => {
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
