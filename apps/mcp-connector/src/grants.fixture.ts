import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Bus } from '@uar/bus';
import { CallId, TenantId, hosts, type GrantClaims, type InstanceId } from '@uar/contracts';
import { createGrantSigner, type GrantSigner } from '@uar/grant';
import { argumentsDigest } from '@uar/json-text';
import { ensureSigningKeys, readPrivateKey } from '@uar/keys';
import { expect } from 'vitest';

export const tenant = TenantId.parse('default');

type Named = Pick<GrantClaims, 'method' | 'server' | 'raw_name' | 'arguments_digest'>;

/** Who decides: signs grants with a key of its own in the folder. */
export class Grants {
  private signer: GrantSigner;

  constructor(
    private readonly folder: string,
    private readonly instance: InstanceId,
  ) {
    ensureSigningKeys(join(folder, 'grant.key'), join(folder, 'grant.pub'));
    this.signer = createGrantSigner(readPrivateKey(join(folder, 'grant.key')));
  }

  /** From now on under a key that the host agrees on. */
  async agree(decider: Bus): Promise<void> {
    const agreed = new Promise<string>((resolve) => {
      this.signer = createGrantSigner(readPrivateKey(join(this.folder, 'grant.key')), {
        offer: async (_host, offer) => {
          const reply = await decider.ask(hosts.mcp.agreeKey, { offer }, { to: this.instance });
          const answer = reply.kind === 'answered' ? reply.value : undefined;
          resolve(answer?.kind ?? reply.kind);
          return answer?.kind === 'agreed' ? answer.public_key : undefined;
        },
      });
    });
    this.of({ method: 'tools/call', server: 'a', raw_name: 'b', arguments_digest: argumentsDigest('{}') });
    expect(await agreed).toBe('agreed');
  }

  /** For a call of its own. */
  of(claims: Named & Partial<GrantClaims>): { readonly grant: string; readonly call_id: CallId } {
    const call_id = CallId.parse(`call_${randomBytes(16).toString('hex')}`);
    const grant = this.signer.sign({
      ...{ call_id, tenant, principal: 'User::"default/dev"', host: 'mcp', instance: this.instance },
      ...{ policy_version: 'v1', issued_at: Date.now(), expires_at: Date.now() + 60_000 },
      ...claims,
    });
    return { grant, call_id };
  }
}
