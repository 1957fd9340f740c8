import { JsonText, stringifyWithText, withMember, withMeta } from '@uar/json-text';
import type { ParkedAsk } from '../../../domain/client/parked-asks.js';
import { serverInfo } from '../server-info.js';
import { supportedRevisions } from '../revisions.js';
import type { StatelessRequest } from './envelope.js';
import { metaKeys, tasksExtension } from './meta-keys.js';

const serverText = JSON.stringify(serverInfo);

/** The final result, of whatever an upstream said: `resultType` is ours to say (MCP 2026-07-28). */
export function complete({ text }: JsonText): JsonText {
  return new JsonText(
    withMember(withMeta(text, metaKeys.serverInfo, serverText), 'resultType', '"complete"'),
  );
}

/** Not the final result: the client has to do something, and to ask again. */
export function inputRequired(asked: {
  readonly [member: string]: unknown;
  readonly _meta: object;
}): JsonText {
  const _meta = { ...asked._meta, [metaKeys.serverInfo]: serverInfo };
  return new JsonText(stringifyWithText({ resultType: 'input_required', ...asked, _meta }));
}

/** `inputRequests`, by the key under which each is answered. */
export function inputRequestsOf(asks: readonly ParkedAsk[]): Readonly<Record<string, object>> {
  return Object.fromEntries(
    asks.map(({ key, method, paramsJson }) => [key, { method, params: new JsonText(paramsJson) }]),
  );
}

/** An object of ours; for this principal alone, and stale after `ttlMs` or as soon as a subscription says so. */
export function cacheable({ text }: JsonText, ttlMs: number): JsonText {
  const meta = `{"${metaKeys.serverInfo}":${serverText}}`;
  const lead = `{"resultType":"complete","ttlMs":${ttlMs},"cacheScope":"private","_meta":${meta}`;
  return new JsonText(`${lead},${text.slice(1)}`);
}

/** The same of an object that an upstream wrote, or that has a `_meta` already. */
export function kept({ text }: JsonText, ttlMs: number): JsonText {
  return complete(
    new JsonText(withMember(withMember(text, 'ttlMs', String(ttlMs)), 'cacheScope', '"private"')),
  );
}

export const discovered = cacheable(
  new JsonText(
    JSON.stringify({
      supportedVersions: supportedRevisions,
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
        extensions: { [tasksExtension]: {} },
      },
    }),
  ),
  60_000,
);

export type Reply =
  | { readonly result: JsonText }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

export function replyText({ id }: Pick<StatelessRequest, 'id'>, reply: Reply): string {
  return stringifyWithText({ jsonrpc: '2.0', id, ...reply });
}
