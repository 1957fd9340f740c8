import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { GrantClaims } from '@uar/contracts';
import { createGrantSigner } from './grant-signer.js';
import { createGrantVerifier, type ExpectedCall } from './grant-verifier.js';

export const pair = generateKeyPairSync('ed25519');
export const signer = createGrantSigner(pair.privateKey);
export const now = 1_800_000_000_000;
export const instance = '0123456789abcdef';
export const digest = (char: string) => `sha256:${char.repeat(64)}`;

export const claims = GrantClaims.parse({
  call_id: `call_${'a'.repeat(32)}`,
  tenant: 'default',
  principal: 'User::"default/dev"',
  host: 'mcp',
  instance,
  method: 'tools/call',
  server: 'time',
  raw_name: 'now',
  definition_digest: digest('1'),
  arguments_digest: digest('2'),
  policy_version: digest('3'),
  issued_at: now,
  expires_at: now + 30_000,
});
export const expected: ExpectedCall = {
  call_id: claims.call_id,
  tenant: claims.tenant,
  method: claims.method,
  server: claims.server,
  raw_name: claims.raw_name,
  definition_digest: claims.definition_digest,
  arguments_digest: claims.arguments_digest,
};

export function verifier(
  options: { publicKeys?: KeyObject[]; now?: () => number; maxRemembered?: number } = {},
) {
  return createGrantVerifier({
    publicKeys: [pair.publicKey],
    host: 'mcp',
    instance,
    now: () => now,
    ...options,
  });
}
