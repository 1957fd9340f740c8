#!/usr/bin/env node
// Builds the package in the current folder: TypeScript in src becomes JavaScript in dist, file by file. Types are checked by
// `npm run types` over the whole tree, from the sources. With --dependencies, builds the workspace packages it needs first.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { withSharedShapes } from './shared-shapes.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

function packagesByName() {
  const found = new Map();
  for (const kind of ['libs', 'apps']) {
    for (const folder of readdirSync(join(root, kind))) {
      const manifest = JSON.parse(readFileSync(join(root, kind, folder, 'package.json'), 'utf8'));
      found.set(manifest.name, {
        dir: join(root, kind, folder),
        needs: Object.keys(manifest.dependencies ?? {}),
      });
    }
  }
  return found;
}

/** The package in `dir` and all it needs, itself last. */
function withDependencies(dir) {
  const all = packagesByName();
  const order = new Set();
  const visit = ({ dir: at, needs }) => {
    for (const name of needs) if (all.has(name)) visit(all.get(name));
    order.add(at);
  };
  visit([...all.values()].find((one) => relative(one.dir, dir) === ''));
  return [...order];
}

function sources(dir) {
  const files = readdirSync(join(dir, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(spec|fixture)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  return {
    code: files.filter((file) => file.endsWith('.ts')),
    assets: files.filter((file) => !file.endsWith('.ts')),
  };
}

async function buildPackage(dir) {
  const dist = join(dir, 'dist');
  rmSync(dist, { recursive: true, force: true });
  const { code, assets } = sources(dir);
  const { outputFiles } = await build({
    entryPoints: code,
    write: false,
    outdir: dist,
    outbase: join(dir, 'src'),
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    tsconfig: join(root, 'tsconfig.base.json'),
    logLevel: 'warning',
  });
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, path.endsWith('.js') ? withSharedShapes(text) : text);
  }
  for (const file of assets) {
    const target = join(dist, relative(join(dir, 'src'), file));
    mkdirSync(dirname(target), { recursive: true });
    cpSync(file, target);
  }
}

const here = process.cwd();
const dirs = process.argv.includes('--dependencies') ? withDependencies(here) : [here];
for (const dir of dirs) await buildPackage(dir);
