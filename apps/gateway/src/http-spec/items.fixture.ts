import type { Bus } from '@uar/bus';
import {
  decideItem,
  listItems,
  runItem,
  type AnswerOf,
  type AskOf,
  type HostAnswer,
  type HostItemRequest,
  type ItemListName,
} from '@uar/contracts';

const decided = { policy_version: 'v1', determining: ['p/one'], governance: 'on' as const };

/** What the upstream `srv` offers besides tools, kept in memory; what its host and the decider say can be set by a spec. */
export class MemoryItems {
  lists: Record<ItemListName, readonly object[]> = {
    resources: [{ uri: 'test://one', name: 'one' }],
    templates: [{ uriTemplate: 'test://{id}', name: 'any' }],
    prompts: [{ name: 'greet' }],
  };
  decide: (ask: AskOf<typeof decideItem>) => AnswerOf<typeof decideItem> = () => ({
    kind: 'allow',
    ...decided,
    grant: 'grant',
  });
  run: (request: HostItemRequest) => HostAnswer | Promise<HostAnswer> = () => ({
    ...{ kind: 'ran', is_error: false },
    result_json: '{ "contents":[{"uri":"test://one","text":"1", "size":1.50}] }',
  });
  readonly requests: HostItemRequest[] = [];

  constructor({ host, pdp }: { readonly host: Bus; readonly pdp: Bus }) {
    pdp.answer(decideItem, (ask) => this.decide(ask));
    host.answer(listItems, ({ server, list }) => ({
      ...{ kind: 'listed', list_digest: `${server} ${list}` },
      definitions: this.lists[list].map((definition) => JSON.stringify(definition)),
    }));
    host.answer(runItem, (request) => {
      this.requests.push(request);
      return this.run(request);
    });
  }
}

export const denied: AnswerOf<typeof decideItem> = { kind: 'deny', ...decided, cause: 'no' };
