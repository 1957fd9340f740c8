import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CallId, TenantId, type GrantClaims, type InstanceId } from '@uar/contracts';
import { createGrantSigner, type GrantSigner } from '@uar/grant';
import { ensureSigningKeys, readPrivateKey } from '@uar/keys';

export const tenant = TenantId.parse('default');

type Named = Pick<GrantClaims, 'method' | 'server' | 'raw_name' | 'arguments_digest'>;

/** Who decides: signs grants with a key of its own in the folder. */
export class Grants {
  private readonly signer: GrantSigner;

  constructor(
    folder: string,
    private readonly instance: InstanceId,
  ) {
    ensureSigningKeys(join(folder, 'grant.key'), join(folder, 'grant.pub'));
    this.signer = createGrantSigner(readPrivateKey(join(folder, 'grant.key')));
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
