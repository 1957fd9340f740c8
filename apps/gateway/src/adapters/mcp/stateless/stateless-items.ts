import type { InstanceId, Seat } from '@uar/contracts';
import type { JsonText } from '@uar/json-text';
import type { ItemDesk } from '../../../domain/item/item-desk.js';
import { RpcError } from '../calls/call-result.js';
import type { Answering } from '../calls/session-requests.js';
import type { McpRequest } from '../http/request.js';
import { ItemAnswers } from '../items/item-answers.js';
import { rpcCodes } from '../rpc-codes.js';
import { complete, kept } from './answers.js';

interface ItemParts {
  readonly items: Pick<ItemDesk, 'request'>;
  readonly gateway: InstanceId;
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

/** Requests about resources and prompts, answered as sessions have them answered. */
export class StatelessItems {
  private readonly seat: Seat;

  /** A client without a session is not asked back: it shares the seat of its principal. */
  constructor(private readonly parts: ItemParts) {
    this.seat = { id: '', gateway: parts.gateway, capabilities_json: '{}' };
  }

  /** Undefined: none of these methods. */
  answering(method: string, { caller, front }: Pick<McpRequest, 'caller' | 'front'>): Answering | undefined {
    const write = Object.hasOwn(written, method) ? written[method] : undefined;
    const { items } = this.parts;
    const answers = new ItemAnswers({ front, items, caller: () => caller, seat: () => this.seat });
    const answer = new Map(answers.byMethod).get(method);
    if (write === undefined || answer === undefined) return undefined;
    return (request) =>
      answer(request).then(write, (thrown: unknown) => Promise.reject(inThisRevision(thrown)));
  }
}

/** What is not there is a wrong parameter here; earlier revisions have a code of its own. */
function inThisRevision(thrown: unknown): unknown {
  if (!(thrown instanceof RpcError) || thrown.code !== rpcCodes.resourceNotFound) return thrown;
  return new RpcError(rpcCodes.invalidParams, thrown.message, thrown.data);
}
