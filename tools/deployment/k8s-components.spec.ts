import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';
import { canRun, complaints, read, root, run, unread } from './deployment.fixture.js';

const components = readdirSync(join(root, 'k8s/components'));
const Component = z.strictObject({
  apiVersion: z.literal('kustomize.config.k8s.io/v1alpha1'),
  kind: z.literal('Component'),
  resources: z.array(z.string()),
  patches: z
    .array(
      z.strictObject({
        path: z.string(),
        target: z.strictObject({ kind: z.literal('StatefulSet'), name: z.string() }),
      }),
    )
    .default([]),
});
const Patch = z.array(
  z.strictObject({
    op: z.enum(['add', 'remove', 'replace', 'test']),
    path: z.string(),
    value: z.unknown().optional(),
  }),
);
const Env = z.strictObject({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .strictObject({ secretKeyRef: z.strictObject({ name: z.string(), key: z.string() }) })
    .optional(),
});
const Workload = z.looseObject({
  spec: z.looseObject({
    replicas: z.number(),
    volumeClaimTemplates: z.unknown().optional(),
    template: z.looseObject({
      spec: z.looseObject({
        containers: z.tuple([
          z.looseObject({ env: z.array(Env), volumeMounts: z.array(z.looseObject({ name: z.string() })) }),
        ]),
        volumes: z.array(z.looseObject({ name: z.string(), projected: z.unknown().optional() })),
      }),
    }),
  }),
});

/** JSON Patch (RFC 6902), as far as the components use it: what it names has to be there. */
function patched(document: unknown, patch: z.output<typeof Patch>): unknown {
  const whole: unknown = structuredClone(document);
  for (const { op, path, value } of patch) {
    const steps = path.split('/').slice(1);
    const last = steps.pop() ?? '';
    let parent = whole as Record<string, unknown>;
    for (const step of steps) parent = parent[step] as Record<string, unknown>;
    if (Array.isArray(parent) && last === '-') parent.push(value);
    else if (op !== 'add' && !(last in parent)) throw new Error(`${op} ${path}: nothing there`);
    else if (op === 'test') expect(parent[last]).toEqual(value);
    else if (op === 'remove') Reflect.deleteProperty(parent, last);
    else parent[last] = value;
  }
  return whole;
}

/** The base's approval-service with the patches of some components. */
function approvalServiceWith(...names: readonly string[]) {
  let workload: unknown = parseAllDocuments(read('k8s/base/approval-service.yaml'))[0]?.toJS();
  for (const name of names)
    for (const { path, target } of componentOf(name).patches) {
      expect(target.name).toBe('approval-service');
      workload = patched(workload, Patch.parse(parse(read(`k8s/components/${name}/${path}`))));
    }
  return Workload.parse(workload).spec;
}

const componentOf = (name: string) =>
  Component.parse(parse(read(`k8s/components/${name}/kustomization.yaml`)));

describe('the components of k8s', () => {
  it.each(components)('%s names files that are there, each of them', (name) => {
    const { resources, patches } = componentOf(name);
    const named = ['kustomization.yaml', ...resources, ...patches.map(({ path }) => path)];
    expect(readdirSync(join(root, 'k8s/components', name)).sort()).toEqual(named.sort());
    expect(read('k8s/README.md')).toContain(`components/${name}`);
  });

  it('put the ledger into PostgreSQL, for two replicas that keep nothing', () => {
    const { replicas, template, volumeClaimTemplates } = approvalServiceWith('postgres-ledger');
    const [container] = template.spec.containers;
    expect(replicas).toBe(2);
    expect(volumeClaimTemplates).toBe(undefined);
    expect(template.spec.volumes.map(({ name }) => name).sort()).toEqual(
      container.volumeMounts.map(({ name }) => name).sort(),
    );
    expect(unread(container.env.map(({ name }) => name))).toEqual([]);
    const url = container.env.find(({ name }) => name === 'UAR_LEDGER_URL');
    expect(url?.valueFrom?.secretKeyRef).toEqual({ name: 'ledger-postgres', key: 'url' });
    const valued = container.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
    const env: Record<string, string> = Object.fromEntries(valued);
    expect(complaints({ ...env, UAR_LEDGER_URL: 'postgres://uar@db:5432/uar?sslmode=verify-full' })).toEqual(
      [],
    );
    const secrets = JSON.stringify(template.spec.volumes.find(({ name }) => name === 'secrets')?.projected);
    for (const file of Object.keys(env).filter((name) => name.endsWith('_FILE')))
      expect(secrets).toContain(`"path":"${env[file]?.replace('/run/secrets/uar/', '') ?? ''}"`);
  });

  it('give the webhook its key and a way out', () => {
    const [container] = approvalServiceWith('webhook', 'postgres-ledger').template.spec.containers;
    const key = container.env.find(({ name }) => name === 'UAR_WEBHOOK_SECRET');
    expect(key?.valueFrom?.secretKeyRef).toEqual({ name: 'webhook', key: 'hmac-key' });
    const policy: unknown = parse(read('k8s/components/webhook/network.yaml'));
    expect(policy).toMatchObject({
      spec: { policyTypes: ['Egress'], egress: [{ ports: [{ port: 443 }] }] },
    });
  });
});

describe.skipIf(!canRun('kubectl', ['version', '--client']))('all components (needs kubectl)', () => {
  const overlay = mkdtempSync(join(tmpdir(), 'uar-overlay-'));
  afterAll(() => rmSync(overlay, { recursive: true, force: true }));

  it('are built together on the base', () => {
    const from = (path: string): string => relative(overlay, join(root, 'k8s', path));
    const kustomization = {
      ...{ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' },
      resources: [from('base')],
      components: components.map((name) => from(`components/${name}`)),
    };
    writeFileSync(join(overlay, 'kustomization.yaml'), stringify(kustomization));
    const text = run('kubectl', ['kustomize', '--load-restrictor', 'LoadRestrictionsNone', overlay]);
    expect(text).toContain('UAR_LEDGER_URL');
    expect(text).toContain('UAR_WEBHOOK_SECRET');
    expect(text).not.toContain('volumeClaimTemplates');
  });
});
