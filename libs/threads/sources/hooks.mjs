import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

// Node's module hooks that let a plain thread or process run our TypeScript sources. What it begins with is bundled with
// all of ours that it imports, and kept until one of those files changes: many threads are started, and loading a hundred
// modules one by one took each of them most of a second.
const cache = fileURLToPath(new URL('../../../node_modules/.cache/uar-sources/', import.meta.url));
const inlined = /^(?:\.{1,2}\/|@uar\/|zod$)/;

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const entry = fileURLToPath(url);
  const kept = `${cache}${createHash('sha256').update(entry).digest('hex')}.js`;
  return { format: 'module', source: fresh(kept) ?? (await bundle(entry, kept)), shortCircuit: true };
}

/** The kept bundle, whose first line tells the files it was made of as they were then. */
function fresh(kept) {
  try {
    const text = readFileSync(kept, 'utf8');
    const [first] = text.split('\n', 1);
    const made = Object.entries(JSON.parse(first.slice('//'.length)));
    return made.every(([file, state]) => stateOf(file) === state) ? text : undefined;
  } catch {
    return undefined;
  }
}

function stateOf(file) {
  const { mtimeMs, size } = statSync(file);
  return `${mtimeMs} ${size}`;
}

async function bundle(entry, kept) {
  const { build } = await import('esbuild');
  const files = new Set();
  const { outputFiles } = await build({
    ...{ entryPoints: [entry], bundle: true, write: false, keepNames: true, plugins: [inPlace(files)] },
    ...{ platform: 'node', format: 'esm', target: 'node20', conditions: ['@uar/source'] },
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true, verbatimModuleSyntax: true } },
  });
  const states = Object.fromEntries([...files].map((file) => [file, stateOf(file)]));
  const text = `//${JSON.stringify(states)}\n${outputFiles[0].text}`;
  mkdirSync(cache, { recursive: true });
  const draft = `${kept}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, text);
  renameSync(draft, kept);
  return text;
}

/** Packages stay outside; a source that asks where it stands is told its own place, not that of the bundle. */
const inPlace = (files) => ({
  name: 'in-place',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^/ }, ({ path, kind }) =>
      kind === 'entry-point' || inlined.test(path) ? undefined : { path, external: true },
    );
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      files.add(path);
      const place = JSON.stringify(pathToFileURL(path).href);
      return { loader: 'ts', contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', place) };
    });
  },
});
