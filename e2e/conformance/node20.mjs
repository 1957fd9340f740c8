// Lets the suite load on Node 20: it imports `globSync` of node:fs, which came with Node 22, and runs it for nothing that is used here.
import { register } from 'node:module';

const hook = `
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.endsWith('/@modelcontextprotocol/conformance/dist/index.js')) return loaded;
  const [line, name] = /globSync as (\\w+),?/.exec(String(loaded.source)) ?? [];
  if (line === undefined) return loaded;
  const source = String(loaded.source).replace(line, '').replace(/^(#!.*\\n)?/, '$1const ' + name + ' = undefined;');
  return { ...loaded, source };
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
