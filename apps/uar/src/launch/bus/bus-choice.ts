import type { Environment } from '@uar/config';
import { findNatsServer } from './nats-binary.js';

/** Which bus the services speak on, and so how many processes there are. */
export type BusChoice =
  | { readonly kind: 'inprocess'; readonly because: string }
  /** A server of somebody else's at a URL. */
  | { readonly kind: 'url'; readonly url: string }
  /** A child of the launcher. */
  | { readonly kind: 'child'; readonly binary: string }
  | { readonly kind: 'refused'; readonly message: string };

/** UAR_BUS = auto (default), inprocess or nats; NATS_URL before a binary, a binary before the in-process bus (API.md 1). */
export function chooseBus(env: Environment): BusChoice {
  const wish = env['UAR_BUS'] || 'auto';
  switch (wish) {
    case 'inprocess':
      return { kind: 'inprocess', because: 'UAR_BUS=inprocess' };
    case 'auto':
    case 'nats': {
      const found = findBus(env);
      if (found !== undefined) return found;
      return wish === 'nats'
        ? { kind: 'refused', message: 'UAR_BUS=nats, but there is neither NATS_URL nor a nats-server binary' }
        : { kind: 'inprocess', because: 'no nats-server found' };
    }
    default:
      return { kind: 'refused', message: 'UAR_BUS is none of auto, inprocess and nats' };
  }
}

function findBus(env: Environment): BusChoice | undefined {
  const url = env['NATS_URL'];
  if (url !== undefined && url !== '') return { kind: 'url', url };
  const named = env['UAR_NATS_SERVER'];
  const binary = findNatsServer(env);
  if (binary !== undefined) return { kind: 'child', binary };
  if (named === undefined || named === '') return undefined;
  return { kind: 'refused', message: `UAR_NATS_SERVER=${named} is no program that can be run` };
}
