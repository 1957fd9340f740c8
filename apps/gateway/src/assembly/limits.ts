import type { CatalogReplica } from '@uar/catalog';
import type { ResolvedConfig } from '@uar/config';
import { TenantId } from '@uar/contracts';
import type { ServiceContext } from '@uar/service';
import { LimitExchange } from '../adapters/bus/limit-exchange.js';
import { BusQuotaLedger } from '../adapters/bus/quota-ledger.js';
import { LimitedCalls } from '../domain/limit/call-limits.js';
import { ConnectionLimits } from '../domain/limit/connection-limits.js';
import { Peers } from '../domain/limit/peers.js';
import { QuotaLeases } from '../domain/limit/quota-leases.js';
import { QuotaLimits } from '../domain/limit/quota-limits.js';
import { Quota } from '../domain/limit/quota.js';
import { Rate } from '../domain/limit/rates/rate.js';
import { RateLimits } from '../domain/limit/rates/rate-limits.js';

const mostBuckets = 100_000;
const sweepMs = 1_000;

/** Whole milliseconds since this process started: a clock that is set cannot empty or fill a bucket. */
const now = (): number => Math.floor(performance.now());

export interface LimitsContext extends Pick<ServiceContext, 'bus' | 'config' | 'log'> {
  readonly replica: Pick<CatalogReplica, 'find'>;
}

export function assembleLimits({ bus, config, log, replica }: LimitsContext) {
  const peers = new Peers();
  const rates = new RateLimits({
    rates: config.limits.rates.map(rateOf),
    now,
    isInformed: () => bus.state() === 'connected' && !peers.isMissing(now()),
    mostBuckets,
  });
  const exchange = new LimitExchange({ bus, limits: rates, peers, now });
  const leases = new QuotaLeases({ ledger: new BusQuotaLedger({ bus, log }), now });
  const quotas = new QuotaLimits({
    quotas: config.limits.quotas.map(quotaOf),
    leases,
    isKnownTool: (tenant, tool) => replica.find(TenantId.parse(tenant), tool) !== undefined,
  });
  let sweeping: NodeJS.Timeout | undefined;
  return {
    callLimits: new LimitedCalls(rates, quotas),
    connectionLimits: new ConnectionLimits(now),
    /** Without a rate there is nothing to tell, without a quota nothing to give back. */
    followLimits: () => {
      if (config.limits.rates.length > 0) exchange.start();
      if (config.limits.quotas.length > 0) sweeping = setInterval(() => leases.sweep(), sweepMs).unref();
    },
    stopLimits: () => {
      clearInterval(sweeping);
      leases.stop();
      exchange.stop();
    },
  };
}

type Limit = ResolvedConfig['limits']['rates' | 'quotas'][number];

function rateOf(rate: ResolvedConfig['limits']['rates'][number]): Rate {
  return new Rate({ ...ruleOf(rate), burst: rate.burst ?? rate.calls });
}

function quotaOf(quota: ResolvedConfig['limits']['quotas'][number]): Quota {
  return new Quota(ruleOf(quota));
}

function ruleOf({ name, per, calls, window_seconds, match, fail }: Limit) {
  return {
    ...{ name, per, calls, fail },
    windowMs: window_seconds * 1_000,
    ...(match?.tools === undefined ? {} : { tools: match.tools }),
    ...(match?.tenants === undefined ? {} : { tenants: match.tenants }),
  };
}
