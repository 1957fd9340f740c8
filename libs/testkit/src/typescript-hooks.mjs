import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Compiled once per content: what is forked again does not load the compiler.
const cache = new URL('../../../node_modules/.cache/uar-typescript/', import.meta.url);
mkdirSync(cache, { recursive: true });

export function resolve(specifier, context, next) {
  if (/^\.\.?\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return next(source.href, context);
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const text = readFileSync(fileURLToPath(url), 'utf8');
  const compiled = new URL(`${createHash('sha256').update(text).digest('hex')}.mjs`, cache);
  const source = existsSync(compiled) ? readFileSync(compiled, 'utf8') : await compile(text, compiled);
  return { format: 'module', source, shortCircuit: true };
}

async function compile(text, target) {
  const { default: ts } = await import('typescript');
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2023,
    experimentalDecorators: true,
    useDefineForClassFields: true,
    verbatimModuleSyntax: true,
  };
  const { outputText } = ts.transpileModule(text, { compilerOptions });
  const draft = new URL(`${target.href}.${process.pid}`);
  writeFileSync(draft, outputText);
  renameSync(draft, target);
  return outputText;
}
