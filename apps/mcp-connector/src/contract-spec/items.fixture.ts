import { join } from 'node:path';
import {
  listItems,
  runItem,
  type AskOf,
  type GrantClaims,
  type HostAnswer,
  type ServerConfig,
} from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import type { z } from 'zod';
import { tenant, type World } from '../connector.fixture.js';

export type ItemAsk = AskOf<typeof runItem>;

const server = join(import.meta.dirname, '..', '..', 'test', 'items-server.mjs');

/** A server of ours with resources and prompts, which asks and tells (test/items-server.mjs). */
export function itemServer(
  behaviour: object = {},
  more: Partial<z.input<typeof ServerConfig>> = {},
): z.input<typeof ServerConfig> {
  return {
    ...{ transport: 'stdio', command: process.execPath, args: [server, JSON.stringify(behaviour)] },
    ...more,
  };
}

export type ItemOptions = Partial<ItemAsk> & { readonly claims?: Partial<GrantClaims> };

/** A granted request; what else is given changes the ask behind the grant's back, `claims` the grant. */
export function itemAsk(
  world: World,
  wanted: Pick<ItemAsk, 'server' | 'method' | 'item_id'> & { readonly params: object | string },
  { claims = {}, ...more }: ItemOptions = {},
): ItemAsk {
  const { params, method, item_id } = wanted;
  const params_json = typeof params === 'string' ? params : JSON.stringify(params);
  const granted = world.grants.of({
    ...{ method, server: wanted.server, raw_name: item_id, arguments_digest: argumentsDigest(params_json) },
    ...claims,
  });
  return {
    ...granted,
    ...{ tenant, server: wanted.server, method, item_id, params_json },
    ...{ timeout_ms: 20_000, max_result_bytes: 1_000_000, wants_progress: false },
    ...more,
  };
}

export async function sendItem(world: World, ask: ItemAsk): Promise<HostAnswer> {
  const reply = await world.gateway.ask(runItem, ask, { to: world.host.instance });
  if (reply.kind === 'fault') throw new Error(JSON.stringify(reply));
  return reply.value;
}

/** Of one resource. */
export async function runResource(
  world: World,
  method: 'resources/read' | 'resources/subscribe' | 'resources/unsubscribe',
  [server, uri]: readonly [string, string],
  more: ItemOptions = {},
): Promise<HostAnswer> {
  return await sendItem(world, itemAsk(world, { server, method, item_id: uri, params: { uri } }, more));
}

export async function listOf(
  world: World,
  server: string,
  list: AskOf<typeof listItems>['list'],
): Promise<string[]> {
  const reply = await world.gateway.ask(listItems, { tenant, server, list }, { to: world.host.instance });
  if (reply.kind === 'fault' || reply.value.kind !== 'listed') throw new Error(JSON.stringify(reply));
  return reply.value.definitions;
}
