import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Node's module hooks that let a plain thread or process run our TypeScript sources: `@uar/*` resolves to sources,
// `./x.js` to `./x.ts`, and types are stripped. The stripped text is cached by content, so the compiler loads once.
const cache = fileURLToPath(new URL('../../../node_modules/.cache/uar-sources/', import.meta.url));

export async function resolve(specifier, context, next) {
  const conditions = [...new Set(['@uar/source', ...context.conditions])];
  const fromSource = context.parentURL?.endsWith('.ts') && /^\.{1,2}\/.*\.js$/.test(specifier);
  return next(fromSource ? specifier.replace(/\.js$/, '.ts') : specifier, { ...context, conditions });
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const source = await strip(readFileSync(fileURLToPath(url), 'utf8'));
  return { format: 'module', source, shortCircuit: true };
}

async function strip(text) {
  const path = `${cache}${createHash('sha256').update(text).digest('hex')}.js`;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    const { default: ts } = await import('typescript');
    const { outputText } = ts.transpileModule(text, {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        experimentalDecorators: true,
      },
    });
    mkdirSync(cache, { recursive: true });
    const draft = `${path}.${randomBytes(6).toString('hex')}`;
    writeFileSync(draft, outputText);
    renameSync(draft, path);
    return outputText;
  }
}
