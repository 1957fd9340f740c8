import type { AccountId } from '@uar/contracts';

/** Neither tenants nor names of servers hold a slash. */
export function serverKey({ tenant, server }: AccountId): string {
  return `${tenant}/${server}/`;
}

/** As JSON, so that no principal's begins with another's. */
export function principalKey(account: AccountId): string {
  return `${serverKey(account)}${JSON.stringify(account.principal ?? '')}`;
}
