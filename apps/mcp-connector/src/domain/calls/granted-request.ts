import type { GrantClaims, HostAnswer, HostCall, HostItemRequest, ItemMethod } from '@uar/contracts';
import { JsonText, argumentsDigest, compact, memberString, scanJson } from '@uar/json-text';
import type { ToolList } from '../tools/tool-list.js';
import type { UpstreamCall } from '../upstream.js';

/** What a grant has to say. */
export type GrantedFields = Pick<
  GrantClaims,
  'call_id' | 'tenant' | 'method' | 'server' | 'raw_name' | 'definition_digest' | 'arguments_digest'
>;

/** A granted request on its way to an upstream, whatever its method. */
export interface GrantedRequest {
  readonly ask: HostCall | HostItemRequest;
  readonly granted: GrantedFields;
  /** Why its text cannot be what the grant is for. */
  readonly textProblem: () => string | undefined;
  /** Why what the server lists does not allow it. */
  readonly listProblem: (list: ToolList) => HostAnswer | undefined;
  readonly message: () => Pick<UpstreamCall, 'method' | 'params'>;
  readonly wantsProgress: boolean;
}

export function toolRequest(call: HostCall): GrantedRequest {
  const { call_id, tenant, server, raw_name, definition_digest } = call;
  return {
    ask: call,
    granted: {
      ...{ call_id, tenant, server, raw_name, definition_digest, method: 'tools/call' },
      arguments_digest: argumentsDigest(call.arguments_json),
    },
    textProblem: () => {
      const scan = scanJson(call.arguments_json, { duplicates: 'last_wins' });
      return scan.kind === 'bad' || scan.rootKind !== 'object' ? 'malformed_arguments' : undefined;
    },
    listProblem: ({ tools }) => {
      const tool = tools.get(raw_name);
      if (tool === undefined)
        return { kind: 'unavailable', message: 'the server does not serve this tool now' };
      if (tool.digest !== definition_digest) return { kind: 'refused', cause: 'definition_changed' };
      return undefined;
    },
    message: () => ({
      method: 'tools/call',
      params: { name: raw_name, arguments: new JsonText(compact(call.arguments_json)) },
    }),
    wantsProgress: call.wants_progress,
  };
}

export function itemRequest(ask: HostItemRequest): GrantedRequest {
  const { call_id, tenant, server, method, item_id, params_json } = ask;
  return {
    ask,
    granted: {
      ...{ call_id, tenant, server, method, raw_name: item_id },
      arguments_digest: argumentsDigest(params_json),
    },
    textProblem: () => (namedItem(method, params_json) === item_id ? undefined : 'item_differs'),
    listProblem: () => undefined,
    message: () => ({ method, params: new JsonText(compact(params_json)) }),
    wantsProgress: ask.wants_progress,
  };
}

/** The resource or prompt that the `params` are about; undefined: they are not as MCP has them, or name a member twice. */
function namedItem(method: ItemMethod, paramsJson: string): string | undefined {
  const scan = scanJson(paramsJson);
  if (scan.kind === 'bad' || scan.rootKind !== 'object') return undefined;
  switch (method) {
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return memberString(paramsJson, 'uri');
    case 'prompts/get':
      return memberString(paramsJson, 'name');
    case 'completion/complete':
      return memberString(
        paramsJson,
        'ref',
        memberString(paramsJson, 'ref', 'type') === 'ref/prompt' ? 'name' : 'uri',
      );
  }
}
