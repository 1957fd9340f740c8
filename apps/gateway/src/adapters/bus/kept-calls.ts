import type { Bus } from '@uar/bus';
import { TenantId, claimKey, keepCall, readKeptCall, type CallId } from '@uar/contracts';
import type { Log } from '@uar/telemetry';
import type { Unavailable } from '../../domain/call/ports.js';
import type { Claim, KeptCall, KeptCalls, ViewToKeep } from '../../domain/execute/kept-calls.js';
import { asyncKeptMs } from '../../domain/execute/execution.js';
import { HeldResults } from '../../domain/execute/held-results.js';
import { unavailable } from './pdp.js';

/** Enough for eight results of the default `limits.result_kb`. */
const mostHeldBytes = 64 * 1024 * 1024;

/** Views kept in the ledger; one that is on its way there, or too long for it, is read from here. */
export class LedgerKeptCalls implements KeptCalls {
  private readonly onTheirWay = new Map<string, { view: KeptCall; written: Promise<boolean> }>();

  private readonly held: HeldResults;

  constructor(
    private readonly bus: Bus,
    private readonly log: Pick<Log, 'warn'>,
    private readonly now: () => number,
  ) {
    this.held = new HeldResults({ mostBytes: mostHeldBytes, forMs: asyncKeptMs, now });
  }

  /** Views of the same call are written in the order they are given. */
  keep(view: ViewToKeep): Promise<boolean> {
    const { owner, callId, viewJson, wholeJson, isPending } = view;
    if (wholeJson !== undefined) this.held.hold(callId, { owner, viewJson: wholeJson });
    const written = this.write(view, this.onTheirWay.get(callId)?.written);
    const pending = isPending ? { pendingAt: this.bus.instance } : {};
    const entry = { view: { kind: 'found' as const, owner, viewJson, ...pending }, written };
    this.onTheirWay.set(callId, entry);
    void written.then(() => {
      if (this.onTheirWay.get(callId) === entry) this.onTheirWay.delete(callId);
    });
    return written;
  }

  async read(
    tenant: string,
    callId: CallId,
  ): Promise<KeptCall | { readonly kind: 'not_found' } | Unavailable> {
    const held = this.held.find(callId);
    const near = held === undefined ? this.onTheirWay.get(callId)?.view : { kind: 'found' as const, ...held };
    if (near !== undefined) return near.owner.tenant === tenant ? near : { kind: 'not_found' };
    const reply = await this.bus.ask(readKeptCall, { tenant: TenantId.parse(tenant), call_id: callId });
    if (reply.kind === 'fault') return unavailable('ledger', reply);
    if (reply.value.kind === 'not_found') return reply.value;
    const { principal, view_json, pending_at: pendingAt } = reply.value;
    const found = { kind: 'found', owner: { tenant, principal }, viewJson: view_json } as const;
    return pendingAt === undefined ? found : { ...found, pendingAt };
  }

  async claim({
    owner,
    key,
    requestDigest,
    callId,
    insteadOf,
    pendingJson,
    forMs,
  }: Parameters<KeptCalls['claim']>[0]): Promise<Claim> {
    const reply = await this.bus.ask(claimKey, {
      tenant: TenantId.parse(owner.tenant),
      principal: owner.principal,
      key,
      request_digest: requestDigest,
      call_id: callId,
      ...(insteadOf === undefined ? {} : { instead_of: insteadOf }),
      pending: { gateway: this.bus.instance, view_json: pendingJson },
      expires_at: this.now() + forMs,
    });
    return reply.kind === 'answered' ? reply.value : unavailable('ledger', reply);
  }

  private async write(
    { owner, callId, viewJson, isPending, forMs }: ViewToKeep,
    before: Promise<boolean> | undefined,
  ): Promise<boolean> {
    await before;
    const reply = await this.bus.ask(keepCall, {
      tenant: TenantId.parse(owner.tenant),
      call_id: callId,
      principal: owner.principal,
      view_json: viewJson,
      ...(isPending ? { pending_at: this.bus.instance } : {}),
      expires_at: this.now() + forMs,
    });
    if (reply.kind === 'answered') return reply.value.kept;
    this.log.warn({ fault: reply.fault, call_id: callId }, 'a call is not kept');
    return false;
  }
}
