import type { ResolvedConfig } from '@uar/config';
import type { ServiceContext } from '@uar/service';
import { LimitExchange } from './adapters/bus/limit-exchange.js';
import { RatedCalls } from './domain/limit/call-limits.js';
import { Peers } from './domain/limit/peers.js';
import { Rate } from './domain/limit/rate.js';
import { RateLimits } from './domain/limit/rate-limits.js';

const mostBuckets = 100_000;

/** Whole milliseconds since this process started: a clock that is set cannot empty or fill a bucket. */
const now = (): number => Math.floor(performance.now());

export function assembleLimits({ bus, config }: Pick<ServiceContext, 'bus' | 'config'>) {
  const peers = new Peers();
  const limits = new RateLimits({
    rates: config.limits.rates.map(rateOf),
    now,
    isInformed: () => bus.state() === 'connected' && !peers.isMissing(now()),
    mostBuckets,
  });
  const exchange = new LimitExchange({ bus, limits, peers, now });
  return {
    callLimits: new RatedCalls(limits),
    /** Without a rate there is nothing to tell. */
    followLimits: () => {
      if (config.limits.rates.length > 0) exchange.start();
    },
    stopLimits: () => exchange.stop(),
  };
}

function rateOf(rate: ResolvedConfig['limits']['rates'][number]): Rate {
  const { name, per, calls, window_seconds, burst, match, fail } = rate;
  return new Rate({
    ...{ name, per, calls, fail },
    windowMs: window_seconds * 1_000,
    burst: burst ?? calls,
    ...(match?.tools === undefined ? {} : { tools: match.tools }),
    ...(match?.tenants === undefined ? {} : { tenants: match.tenants }),
  });
}
