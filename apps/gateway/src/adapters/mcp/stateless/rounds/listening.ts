import { type Caller, isAtLeast, LogLevel, principalId } from '@uar/contracts';
import { JsonText, memberString } from '@uar/json-text';
import type { ConnectedClients, UpstreamNews } from '../../../../domain/client/connected-clients.js';
import type { Asked } from '../request-stream.js';

interface CallNews {
  readonly news: Pick<ConnectedClients, 'overhear'>;
  readonly caller: Caller;
  readonly callId: string;
}

/** What upstreams tell during a call goes out on the stream of whoever waits for it. The returned function ends it. */
export function listenFor(asked: Asked, { news, caller: { principal }, callId }: CallNews): () => void {
  const owner = { tenant: principal.tenant, owner: principalId(principal) };
  return news.overhear(callId, { ...owner, hear: (one) => hear(asked, one) });
}

/** Log messages of the level that the request named and above: of none where it named none (MCP 2026-07-28, "Logging"). */
function hear({ level, tell }: Asked, { method, params_json }: UpstreamNews): void {
  const isWanted =
    method === 'notifications/message'
      ? level !== undefined && isLoud(params_json, level)
      : method === 'notifications/elicitation/complete';
  if (isWanted) tell(method, new JsonText(params_json));
}

function isLoud(paramsJson: string, least: LogLevel): boolean {
  const { success, data: level } = LogLevel.safeParse(memberString(paramsJson, 'level'));
  return success && isAtLeast(level, least);
}
