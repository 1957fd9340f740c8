import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ServiceName } from '@uar/contracts';
import type { z } from 'zod';
import { readEnvironment, type Environment } from './sources/environment.js';
import { readMcpFiles, type McpFiles } from './sources/mcp-files.js';
import { absolutePaths, fromProductRoot, productRoot } from './sources/paths.js';
import { policiesFolderProblem } from './check/policies-folder.js';
import type { Problem } from './check/problem.js';
import { ledgerFileProblems } from './resolve/ledger.js';
import { resolveConfig, type ResolvedConfig } from './resolve/resolve.js';
import { ruleProblems } from './check/rules.js';
import type { UarConfig } from './schema.js';
import { fileProblems, withSecret } from './resolve/secret.js';
import { webhookSecretProblems, withWebhookSecret } from './resolve/webhook.js';
import { dotted, shape } from './check/shape.js';
import { isTree, leaves, mergeTrees, withoutPath, type Path, type Tree } from './sources/tree.js';
import { readYamlFile, type YamlFile } from './sources/yaml-file.js';

export interface LoadOptions {
  readonly env: Environment;
  /** Folder against which the environment's and the overrides' relative paths and `./uar.yaml` are read. */
  readonly cwd: string;
  /** File instead of UAR_CONFIG; `null` reads no file at all. */
  readonly file?: string | null;
  /** What flags say: wins over everything. */
  readonly overrides?: z.input<typeof UarConfig>;
  /** False: a missing secret is not made, nothing is written. Default true. */
  readonly generate?: boolean;
  /** True: what only one of the services reads is looked at too, for whoever starts or checks all of them. */
  readonly whole?: boolean;
  /** The service that starts with it: what it alone needs is looked at too. */
  readonly service?: ServiceName;
}

export interface LoadedConfig {
  readonly kind: 'ok';
  readonly config: ResolvedConfig;
  /** Absolute path of the file that was read. */
  readonly file: string | undefined;
  /** Where a dotted key was set: `flag`, the variable's name or `file:line`. Absent keys have their default. */
  readonly sources: ReadonlyMap<string, string>;
  /** File of `mcp.config_files` by the name of the server that it brought. */
  readonly serverOrigins: ReadonlyMap<string, string>;
  readonly warnings: readonly Problem[];
}

export interface BadConfig {
  readonly kind: 'bad';
  readonly problems: readonly Problem[];
}

/** The file that the product ships: it registers the bundled sample MCP servers. */
export const exampleFile = join(productRoot, 'uar.example.yaml');

/**
 * Reads the configuration (API.md 1): flag over environment over file over default. Every problem is listed at once;
 * no socket is opened. In profile minimal without any secret one is made in `<data dir>/keys/jwt.secret`.
 */
export function loadConfig(options: LoadOptions): LoadedConfig | BadConfig {
  const sources = readSources(options);
  const shaped = shape(sources.tree, sources.locate);
  const problems = [...sources.problems, ...shaped.problems];
  if (shaped.config === undefined) return { kind: 'bad', problems };

  const files = readMcpFiles({ ...mcpFilesOf(shaped.config, sources, options.cwd), taken: shaped.config });
  problems.push(...files.problems, ...ruleProblems(shaped.config, shaped.badPaths));
  problems.push(...fileProblems(shaped.config));
  if (options.whole === true) problems.push(...policiesProblems(shaped.config));
  if (options.whole === true || options.service === 'approval-service')
    problems.push(...webhookSecretProblems(shaped.config, options.env), ...ledgerFileProblems(shaped.config));
  if (problems.length > 0) return { kind: 'bad', problems };

  const config = resolveConfig({
    config: withServers(shaped.config, files),
    cwd: options.cwd,
    given: (path) => sources.map.has(path),
  });
  return {
    kind: 'ok',
    config: withWebhookSecret(withSecret(config, options.generate ?? true), options.env),
    file: sources.file,
    sources: sources.map,
    serverOrigins: files.origins,
    warnings: [...sources.warnings, ...files.warnings],
  };
}

function policiesProblems({ governance }: UarConfig): Problem[] {
  if (!governance.enabled) return [];
  const message = policiesFolderProblem(fromProductRoot(governance.policies_dir));
  return message === undefined ? [] : [{ path: 'governance.policies_dir', message }];
}

interface Sources {
  readonly tree: Tree;
  readonly file: string | undefined;
  readonly map: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  locate(path: Path): string;
}

function readSources(options: LoadOptions): Sources {
  const environment = readEnvironment(options.env);
  const file = fileOf(options);
  const yaml = file === undefined ? noFile : readYamlFile(file);
  const overrides = isTree(options.overrides) ? options.overrides : {};
  const fromFile = absolutePaths(yaml.tree ?? {}, file === undefined ? options.cwd : dirname(file));
  const above = mergeTrees([environment.tree, overrides]);
  const map = new Map([
    ...leaves(fromFile).map((path): [string, string] => [path, yaml.locate(path.split('.'))]),
    ...environment.variables,
    ...leaves(overrides).map((path): [string, string] => [path, 'flag']),
  ]);
  const layers = [withoutRivalSecret(fromFile, above), absolutePaths(above, options.cwd)];
  return {
    tree: mergeTrees(layers),
    file,
    map,
    problems: [...yaml.problems, ...environment.problems],
    warnings: environment.warnings,
    locate: (path) => whereWritten(path, map, yaml),
  };
}

const noFile: YamlFile = { tree: {}, problems: [], locate: () => '' };

function whereWritten(path: Path, map: ReadonlyMap<string, string>, yaml: YamlFile): string {
  const place = map.get(dotted(path)) ?? yaml.locate(path);
  return place === '' ? '' : ` (${place})`;
}

function fileOf({ env, cwd, file }: LoadOptions): string | undefined {
  if (file === null) return undefined;
  const named = file ?? env['UAR_CONFIG'];
  if (named !== undefined && named !== '') return resolve(cwd, named);
  return [join(cwd, 'uar.yaml'), exampleFile].find((candidate) => existsSync(candidate));
}

/** A secret given by flag or environment replaces the file's, whichever of the two keys either uses. */
function withoutRivalSecret(under: Tree, over: Tree): Tree {
  const above = over['security'];
  const below = under['security'];
  if (!isTree(above) || !isTree(below)) return under;
  if (above['jwt_secret'] === undefined && above['jwt_secret_file'] === undefined) return under;
  const security = withoutPath(withoutPath(below, ['jwt_secret']), ['jwt_secret_file']);
  return { ...under, security };
}

/** The default `mcp.json` lies beside the user's own file, else in the working folder, and may be absent. */
function mcpFilesOf(config: UarConfig, sources: Sources, cwd: string): { files: readonly string[] } {
  if (config.mcp.config_files !== undefined) return { files: config.mcp.config_files };
  const own = sources.file !== undefined && sources.file !== exampleFile;
  const standard = join(own ? dirname(sources.file) : cwd, 'mcp.json');
  return { files: existsSync(standard) ? [standard] : [] };
}

function withServers(config: UarConfig, files: McpFiles): UarConfig {
  return { ...config, mcp: { ...config.mcp, servers: { ...config.mcp.servers, ...files.servers } } };
}
