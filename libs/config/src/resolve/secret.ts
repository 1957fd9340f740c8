import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { ensureSecretFile, readSecretFile } from '@uar/keys';
import type { Problem } from '../check/problem.js';
import type { ResolvedConfig } from './resolve.js';
import type { UarConfig } from '../schema.js';
import { whyUnreadable } from './unreadable.js';

const minSecretBytes = 32;

/** Problems of the files that the configuration names and the start needs. Nothing is created. */
export function fileProblems(config: UarConfig): Problem[] {
  const { tls } = config.server;
  const files: [string, string | undefined][] = [
    ['security.jwt_secret_file', config.security.jwt_secret_file],
    ['server.tls.cert_file', tls?.cert_file],
    ['server.tls.key_file', tls?.key_file],
  ];
  const unreadable = files.flatMap(([path, file]) => (file === undefined ? [] : readProblem(path, file)));
  return [...unreadable, ...(unreadable.length === 0 ? shortSecret(config.security.jwt_secret_file) : [])];
}

function readProblem(path: string, file: string): Problem[] {
  try {
    accessSync(file, constants.R_OK);
    return [];
  } catch (error) {
    return [{ path, message: `${file} ${whyUnreadable(error)}` }];
  }
}

function shortSecret(file: string | undefined): Problem[] {
  if (file === undefined) return [];
  try {
    if (Buffer.byteLength(readSecretFile(file)) >= minSecretBytes) return [];
    return [{ path: 'security.jwt_secret_file', message: `holds fewer than ${minSecretBytes} bytes` }];
  } catch {
    return [{ path: 'security.jwt_secret_file', message: `${file} is no readable file` }];
  }
}

/** The HS256 secret as `security.jwt_secret`: given, read from its file, or, in minimal without jwks_url, made once. */
export function withSecret(config: ResolvedConfig, generate: boolean): ResolvedConfig {
  const { security } = config;
  if (security.jwt_secret !== undefined || security.jwks_url !== undefined) return config;
  if (security.jwt_secret_file !== undefined)
    return { ...config, security: { ...security, jwt_secret: readSecretFile(security.jwt_secret_file) } };
  if (config.profile !== 'minimal' || !generate) return config;
  const secret = ensureSecretFile(join(config.data_dir, 'keys', 'jwt.secret'));
  return { ...config, security: { ...security, jwt_secret: secret } };
}
