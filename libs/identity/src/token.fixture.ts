import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { resolveConfig, UarConfig } from '@uar/config';
import type { TokenVerifierOptions } from './token-verifier.js';

export const secret = 'a-secret-of-the-tests-with-more-than-32-bytes';
export const issuer = 'https://idp.example/realm';
export const audience = 'https://uar.example/mcp';
/** 2026-11-14T12:00:00Z */
export const startMs = 1_794_657_600_000;
export const startSeconds = startMs / 1000;

export type SigningAlgorithm = 'RS256' | 'ES256' | 'EdDSA';

export interface TestKey {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function testKey(algorithm: SigningAlgorithm, kid: string): TestKey {
  return { kid, algorithm, ...pair(algorithm) };
}

function pair(algorithm: SigningAlgorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2048 });
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return generateKeyPairSync('ed25519');
}

export function jwkOf(key: TestKey): Record<string, unknown> {
  return { ...key.publicKey.export({ format: 'jwk' }), kid: key.kid, use: 'sig', alg: key.algorithm };
}

export function part(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return Buffer.from(text).toString('base64url');
}

/** Header and claims as objects, or as the very JSON text. */
export function signedWithSecret(claims: unknown, header: unknown = { alg: 'HS256' }, key = secret): string {
  const input = `${part(header)}.${part(claims)}`;
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
}

export function signedWithKey(key: TestKey, claims: unknown, header: Record<string, unknown> = {}): string {
  const input = `${part({ alg: key.algorithm, kid: key.kid, ...header })}.${part(claims)}`;
  const digest = key.algorithm === 'EdDSA' ? null : 'sha256';
  const signature = sign(digest, Buffer.from(input), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

export const goodClaims = {
  iss: issuer,
  aud: audience,
  sub: 'ann',
  tenant_id: 'acme',
  exp: startSeconds + 600,
};

export function secretOptions(
  security: Record<string, unknown> = {},
  profile: 'minimal' | 'server-full' = 'minimal',
): TokenVerifierOptions {
  const parsed = UarConfig.parse({ profile, security: { jwt_secret: secret, ...security } });
  const config = resolveConfig({ config: parsed, cwd: '/', given: () => false });
  return { security: config.security, profile, now: () => startMs };
}

export function jwksOptions(
  url: string,
  now: () => number = () => startMs,
  security: Record<string, unknown> = {},
): TokenVerifierOptions {
  const config = UarConfig.parse({
    security: { jwks_url: url, jwt_issuer: issuer, jwt_audience: audience, ...security },
  });
  return { security: config.security, profile: 'server-full', now };
}
