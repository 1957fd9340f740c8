import type { Bus } from '@uar/bus';
import { takeQuota } from '@uar/contracts';
import type { Log } from '@uar/telemetry';
import type { QuotaLedger, QuotaTake, QuotaTaken } from '../../domain/limit/quota-leases.js';

/** Quotas of the ledger, asked over the bus; never again for the same units, which may have been taken. */
export class BusQuotaLedger implements QuotaLedger {
  constructor(private readonly parts: { readonly bus: Bus; readonly log: Pick<Log, 'warn'> }) {}

  async take(takes: readonly QuotaTake[]): Promise<readonly QuotaTaken[] | undefined> {
    const reply = await this.parts.bus.ask(takeQuota, { takes: [...takes] });
    if (reply.kind === 'answered') return reply.value.taken;
    this.parts.log.warn({ fault: reply.fault, buckets: takes.length }, 'quotas were not asked');
    return undefined;
  }
}
