import type { InstanceId, Seat } from '@uar/contracts';
import type { JsonText } from '@uar/json-text';
import { Deferred } from '../../../domain/call/deferred.js';
import type { ItemAsk, ItemDesk, ItemEnded } from '../../../domain/item/item-desk.js';
import type { CallEnding } from '../../../domain/call/proposed-call.js';
import { RpcError } from '../calls/call-result.js';
import type { McpRequest } from '../http/request.js';
import { type ItemAnswerParts, ItemAnswers } from '../items/item-answers.js';
import { rpcCodes } from '../rpc-codes.js';
import { complete, kept } from './answers.js';
import type { Asked } from './request-stream.js';
import type { AskedAgain } from './rounds/asked-again.js';
import type { AskedClients } from './rounds/asked-clients.js';
import { type Brought, readBrought, withoutBrought } from './rounds/brought.js';
import type { SameCall } from './rounds/request-state.js';

interface ItemParts {
  readonly items: Pick<ItemDesk, 'request'>;
  readonly gateway: InstanceId;
  readonly again: AskedAgain;
  readonly clients: AskedClients;
}

const listTtlMs = 10_000;

/** How a result of each method is written. What is read may be another thing the next time. */
const written: Readonly<Record<string, (result: JsonText) => JsonText>> = {
  'resources/list': (result) => kept(result, listTtlMs),
  'resources/templates/list': (result) => kept(result, listTtlMs),
  'prompts/list': (result) => kept(result, listTtlMs),
  'resources/read': (result) => kept(result, 0),
  'prompts/get': complete,
  'completion/complete': complete,
};

/** During what clients may be asked (MCP 2026-07-28, "Multi round-trip requests"). */
const askable = new Set(['resources/read', 'prompts/get']);

/** Requests about resources and prompts, answered as sessions have them answered. */
export class StatelessItems {
  /** Of who is not asked back: that of its principal. */
  private readonly seat: Seat;

  constructor(private readonly parts: ItemParts) {
    this.seat = { id: '', gateway: parts.gateway, capabilities_json: '{}' };
  }

  /** Undefined: none of these methods. */
  answering(
    method: string,
    { caller, front }: Pick<McpRequest, 'caller' | 'front'>,
  ): ((asked: Asked) => Promise<JsonText>) | undefined {
    const write = Object.hasOwn(written, method) ? written[method] : undefined;
    const isKnown = new Map(this.answersOf(this.parts.items, { caller, front })).has(method);
    if (write === undefined || !isKnown) return undefined;
    return async (asked) => {
      const interim = new Deferred<JsonText>();
      const answer = this.answer({ caller, front }, asked, interim).then(write, (thrown: unknown) =>
        Promise.reject(inThisRevision(thrown)),
      );
      return Promise.race([answer, interim.promise]);
    };
  }

  private async answer(
    visit: Pick<McpRequest, 'caller' | 'front'>,
    asked: Asked,
    interim: Deferred<JsonText>,
  ): Promise<JsonText> {
    const { method, params } = asked;
    const isAskable = askable.has(method);
    const request = isAskable ? this.requesting(asked, readBrought(asked), interim) : undefined;
    const items = request === undefined ? this.parts.items : { request };
    const answer = new Map(this.answersOf(items, visit)).get(method);
    if (answer === undefined) throw new RpcError(rpcCodes.methodNotFound, 'Method not found');
    return answer({ ...asked, params: isAskable ? withoutBrought(params) : params });
  }

  private answersOf(
    items: ItemAnswerParts['items'],
    { caller, front }: Pick<McpRequest, 'caller' | 'front'>,
  ): ItemAnswers['byMethod'] {
    return new ItemAnswers({ front, items, caller: () => caller, seat: () => this.seat }).byMethod;
  }

  /** Begins the request, or goes on with it. */
  private requesting(
    asked: Asked,
    brought: Brought,
    interim: Deferred<JsonText>,
  ): ItemAnswerParts['items']['request'] {
    const { items, clients, again } = this.parts;
    return (ask) => {
      if (brought.state !== undefined) {
        const round = again.answer(sameCall(ask), brought, asked);
        return {
          ended: round.then((it) => (it.kind === 'ended' ? endOf(it.ended) : neverAfter(interim, it.result))),
        };
      }
      const client = clients.begin(ask.caller, asked, brought.responses);
      if (client === undefined) return items.request(ask);
      const handle = items.request({ ...ask, seat: client.seat, client });
      clients.attend(client, { handle, call: sameCall(ask), asked }, (inputs) => interim.resolve(inputs));
      return handle;
    };
  }
}

/** What a retry of the request must have in common with it. */
function sameCall({ caller, item, method, paramsJson }: ItemAsk): SameCall {
  return { caller, toolName: `${item.server}/${method}`, argumentsJson: paramsJson };
}

/** The interim answer is the answer of this request: it has no other. */
function neverAfter(interim: Deferred<JsonText>, result: JsonText): Promise<never> {
  interim.resolve(result);
  return new Promise(() => undefined);
}

function endOf(ended: CallEnding): ItemEnded {
  if (ended.outcome === 'completed' && ended.resultJson === undefined)
    throw new RpcError(
      rpcCodes.internalError,
      'this request was answered before, and its result is not kept',
    );
  return ended;
}

/** What is not there is a wrong parameter here; earlier revisions have a code of its own. */
function inThisRevision(thrown: unknown): unknown {
  if (!(thrown instanceof RpcError) || thrown.code !== rpcCodes.resourceNotFound) return thrown;
  return new RpcError(rpcCodes.invalidParams, thrown.message, thrown.data);
}
