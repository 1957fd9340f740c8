import { resolve } from 'node:path';
import { loadConfig } from '@uar/config';
import { CommandFailure, exit, type World } from '../world.js';
import { readEndpoints } from './endpoints-file.js';
import { createGatewayClient, type GatewayClient } from './gateway-client.js';

/**
 * UAR_URL with UAR_TOKEN; else what runs on this machine's data folder: the proxy, which brings a token of its own, or
 * with UAR_TOKEN the gateway itself.
 */
export function connectTarget(world: World): GatewayClient {
  const token = setting(world, 'UAR_TOKEN');
  const url = setting(world, 'UAR_URL') ?? localUrl(world, token);
  if (url === undefined)
    throw new CommandFailure(
      exit.unreachable,
      `nothing runs on ${dataDirOf(world)}; start it with \`npm start\` or name it with UAR_URL`,
    );
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new CommandFailure(exit.usage, 'UAR_URL is no http or https URL');
  return createGatewayClient(token === undefined ? { url } : { url, token });
}

function localUrl(world: World, token: string | undefined): string | undefined {
  const endpoints = readEndpoints(dataDirOf(world));
  return token === undefined ? (endpoints?.proxy ?? endpoints?.gateway) : endpoints?.gateway;
}

/** The data folder of the configuration; of environment and default alone where that one is bad. */
function dataDirOf(world: World): string {
  const loaded = loadConfig({ env: world.env, cwd: world.cwd, generate: false });
  if (loaded.kind === 'ok') return loaded.config.data_dir;
  return resolve(world.cwd, setting(world, 'UAR_DATA_DIR') ?? '.uar');
}

export function setting(world: World, name: string): string | undefined {
  const value = world.env[name];
  return value === '' ? undefined : value;
}
