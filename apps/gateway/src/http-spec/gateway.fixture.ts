import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testConfig } from '@uar/testkit';
import { mintDevToken } from '@uar/identity';
import { createLog } from '@uar/telemetry';
import { service, type RunningGateway } from '../module.js';
import { entry } from '../domain/call-spec/entry.fixture.js';
import { Neighbours } from './neighbours.fixture.js';

const secret = 'a-secret-of-more-than-thirty-two-bytes';
/** Of all gateways of a spec. */
const keys = mkdtempSync(join(tmpdir(), 'uar-gateway-'));
const log = createLog({ service: 'gateway', level: 'silent' });

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // The specs look into bodies of every shape.
  readonly body: Body;
}

/** A JSON body that a spec walks through; absent members read as undefined. */
export interface Body {
  readonly [member: string]: Body;
}

/** A gateway on real sockets, with neighbours on an in-process bus. */
export class Gateway {
  private constructor(
    readonly running: RunningGateway,
    readonly neighbours: Neighbours,
  ) {}

  static async start(settings: object = {}): Promise<Gateway> {
    const neighbours = new Neighbours(log);
    neighbours.entries = [
      entry('echo', {}, { type: 'object', properties: { text: { type: 'string' }, n: { type: 'number' } } }),
      entry('write', { capabilities: ['read', 'write'], risk: 3 }),
      entry('hidden', { labels: ['secret'] }, { type: 'object', required: ['x'] }),
    ];
    const config = configOf(settings);
    const running = await service.start({ config, bus: neighbours.gatewayBus, log });
    return new Gateway(running, neighbours);
  }

  get url(): string {
    return this.running.endpoints().gateway;
  }

  get management(): string {
    return this.running.endpoints().management;
  }

  token(sub = 'ada', roles: string[] = ['admin'], agent?: string): string {
    const who = { sub, name: sub, roles, groups: [], tenant: 'default', ...(agent && { agent }) };
    return mintDevToken({ secret, ...who, ttlSeconds: 300 });
  }

  /** A token of ada, the admin, with a scope claim. */
  scoped(...scopes: string[]): string {
    const who = { sub: 'ada', name: 'ada', roles: ['admin'], groups: [], tenant: 'default' };
    return mintDevToken({ secret, ...who, scopes, ttlSeconds: 300 });
  }

  /** Another gateway with the same neighbours. */
  async replica(): Promise<Gateway> {
    const bus = this.neighbours.hub.connect({ service: 'gateway', log });
    const running = await service.start({ config: configOf({}), bus, log });
    return new Gateway(running, this.neighbours);
  }

  async ask(
    method: string,
    path: string,
    options: {
      body?: unknown;
      raw?: string | Uint8Array<ArrayBuffer>;
      token?: string | null;
      headers?: object;
      signal?: AbortSignal;
    } = {},
  ): Promise<HttpAnswer> {
    const { body, raw, token = this.token(), headers = {}, signal } = options;
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : {} };
  }

  execute(tool: string, body: unknown = {}, headers: object = {}): Promise<HttpAnswer> {
    return this.ask('POST', `/api/tools/${tool}/execute`, { body, headers });
  }

  async stop(): Promise<void> {
    await this.running.stop();
    await this.neighbours.hub.close();
    rmSync(keys, { recursive: true, force: true });
  }
}

function configOf(settings: object) {
  return testConfig({
    security: { jwt_secret: secret },
    keys: { state_key_file: join(keys, 'state.key') },
    server: { port: 0, management_port: 0, shutdown_grace_seconds: 4 },
    ...settings,
  });
}

/** Looks again until it holds; for things that follow on their own. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const endAt = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > endAt) throw new Error('did not come to hold');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
