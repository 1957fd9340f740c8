import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { read, root, services } from './deployment.fixture.js';

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
