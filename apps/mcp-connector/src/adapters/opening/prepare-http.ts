import { accountOf } from '../../domain/account/accounts.js';
import type { ExpandedServer } from '../../domain/upstream.js';
import { HttpTransport } from '../http/http-transport.js';
import { httpTarget } from '../http/post.js';
import { HttpWire } from '../stateless/http-wire.js';
import type { Prepared, Unprepared, UpstreamWorld } from './prepared.js';

export function prepareHttp(
  server: ExpandedServer,
  world: UpstreamWorld,
  principal: string | undefined,
): Prepared | Unprepared {
  const { config } = server;
  if (config.url === undefined || !URL.canParse(config.url))
    return { kind: 'problem', message: 'the url is no URL' };
  const url = new URL(config.url);
  const message = world.addresses.urlProblem(url);
  if (message !== undefined) return { kind: 'problem', message };
  const { lookup } = world.addresses;
  const bearer =
    config.auth === undefined ? undefined : world.accounts.bearer(server, accountOf(server, principal));
  const { maxFrameBytes, onFault } = world;
  const target = httpTarget(url, lookup);
  const options = { headers: config.headers, bearer, maxFrameBytes, onFault };
  return {
    ...{ kind: 'prepared', isHttp: true, bearer },
    wire: new HttpWire({ ...options, target }),
    sessions: ({ isBeside }) => {
      const transport = new HttpTransport({
        ...options,
        target: isBeside ? httpTarget(url, lookup) : target,
      });
      return { transport, own: () => undefined };
    },
    explainLoss: () => Promise.resolve('the connection ended'),
    hint: () => '',
  };
}
