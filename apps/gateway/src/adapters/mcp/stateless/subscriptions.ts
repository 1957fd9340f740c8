import { type Caller, principalId } from '@uar/contracts';
import { JsonText, textDigest } from '@uar/json-text';
import { z } from 'zod';
import type { EffectiveCatalog, ListChange } from '../../../domain/catalog/effective-catalog.js';
import type { ConnectedClients, UpstreamNews } from '../../../domain/client/connected-clients.js';
import type { FrontTools } from '../../../domain/front/front.js';
import { EventStream } from '../../http/event-stream.js';
import { eventText } from '../../http/event-text.js';
import { refuse } from '../http/refuse.js';
import type { McpRequest } from '../http/request.js';
import { rpcCodes } from '../rpc-codes.js';
import { ListNews } from '../session/list-news.js';
import { complete, replyText } from './answers.js';
import type { StatelessRequest } from './envelope.js';
import { metaKeys } from './meta-keys.js';

/** How many streams may be open. */
interface SubscriptionLimits {
  readonly perPrincipal: number;
  readonly total: number;
}

const subscriptionLimits: SubscriptionLimits = { perPrincipal: 20, total: 10_000 };

const Wanted = z.looseObject({
  notifications: z.looseObject({
    toolsListChanged: z.boolean().optional(),
    promptsListChanged: z.boolean().optional(),
    resourcesListChanged: z.boolean().optional(),
    resourceSubscriptions: z.array(z.string().max(2_048)).max(1_000).optional(),
  }),
});

/** What of a wish is kept. */
type Kept = Partial<
  Readonly<Record<'toolsListChanged' | 'promptsListChanged' | 'resourcesListChanged', true>>
>;

interface Subscription {
  readonly caller: Caller;
  readonly front: McpRequest['front'];
  readonly id: StatelessRequest['id'];
  readonly stream: EventStream;
  readonly kept: Kept;
  /** Of the list that its client can know; undefined where it could not be read. */
  seen: string | undefined;
}

/** `subscriptions/listen`: streams that say when the list of their own caller became another one, or may have. */
export class Subscriptions {
  private readonly open = new Set<Subscription>();
  private readonly news: { close(): void }[];

  constructor(
    lists: Pick<EffectiveCatalog, 'onChange'>,
    upstreams: Pick<ConnectedClients, 'onListChange'>,
    private readonly limits: SubscriptionLimits = subscriptionLimits,
  ) {
    this.news = [
      new ListNews<ListChange>(
        (listener) => lists.onChange(listener),
        (changes) => this.tell(changes),
      ),
      new ListNews<UpstreamNews>(
        (listener) => upstreams.onListChange(listener),
        (news) => this.tellOfItems(news),
      ),
    ];
  }

  /** Begins with what is kept of the wish; a wish of which nothing is kept ends there. */
  async listen({ caller, front, response }: McpRequest, asked: StatelessRequest): Promise<void> {
    const { id } = asked;
    const wanted = Wanted.safeParse(asked.params);
    if (!wanted.success) {
      const why = {
        code: rpcCodes.invalidParams,
        message: 'params.notifications is missing, or has another shape',
      };
      return refuse(response, { status: 400, why, id });
    }
    if (this.isFull(caller)) return refuse(response, { status: 429, why: 'too many subscriptions', id });
    const stream = new EventStream(response, {});
    const kept = keptOf(wanted.data.notifications, front);
    const one: Subscription = { caller, front, id, stream, kept, seen: undefined };
    this.open.add(one);
    stream.onClose(() => this.open.delete(one));
    one.seen = await digestOf(one);
    say(one, 'notifications/subscriptions/acknowledged', { notifications: kept });
    if (Object.keys(kept).length === 0) this.end(one);
  }

  close(): void {
    for (const each of this.news) each.close();
    for (const one of this.open) this.end(one);
  }

  private end(one: Subscription): void {
    this.open.delete(one);
    const result = complete(new JsonText(JSON.stringify({ _meta: { [metaKeys.subscription]: one.id } })));
    one.stream.finish(eventText({ data: replyText(one, { result }) }));
  }

  private isFull({ principal }: Caller): boolean {
    if (this.open.size >= this.limits.total) return true;
    const owner = principalId(principal);
    const own = [...this.open].filter(({ caller }) => principalId(caller.principal) === owner);
    return own.length >= this.limits.perPrincipal;
  }

  private async tell(changes: readonly ListChange[]): Promise<void> {
    const affected = [...this.open].filter(
      ({ caller, kept }) =>
        kept.toolsListChanged === true && changes.some((change) => concerns(change, caller)),
    );
    await Promise.all(affected.map((one) => tellIfOther(one)));
  }

  private tellOfItems(news: readonly UpstreamNews[]): Promise<void> {
    for (const one of this.open)
      for (const [member, method] of itemNews)
        if (one.kept[member] === true && news.some((each) => each.method === method && isFor(each, one)))
          say(one, method, {});
    return Promise.resolve();
  }
}

const itemNews = [
  ['promptsListChanged', 'notifications/prompts/list_changed'],
  ['resourcesListChanged', 'notifications/resources/list_changed'],
] as const;

/** A front with tools of ours has nothing else. */
function keptOf(
  wanted: Readonly<Record<string, unknown>>,
  { isReserved = false }: Subscription['front'],
): Kept {
  return {
    ...(wanted['toolsListChanged'] === true && { toolsListChanged: true }),
    ...(wanted['promptsListChanged'] === true && !isReserved && { promptsListChanged: true }),
    ...(wanted['resourcesListChanged'] === true && !isReserved && { resourcesListChanged: true }),
  };
}

/** What came over the session of one principal is for that one alone. */
function isFor(
  { tenant, server, seat }: UpstreamNews,
  { caller: { principal }, front }: Subscription,
): boolean {
  if (tenant !== principal.tenant || !front.shows(server)) return false;
  return seat === undefined || seat.principal === principalId(principal);
}

function concerns({ runId, tenant }: ListChange, caller: Caller): boolean {
  if (runId !== undefined) return runId === caller.run_id;
  return tenant === undefined || tenant === caller.principal.tenant;
}

/** Whoever's list cannot be read now is told, for it may have changed. */
async function tellIfOther(one: Subscription): Promise<void> {
  const now = await digestOf(one);
  if (now !== undefined && now === one.seen) return;
  one.seen = now;
  say(one, 'notifications/tools/list_changed', {});
}

async function digestOf({ front, caller }: Subscription): Promise<string | undefined> {
  const tools = await front.tools(caller);
  return tools.kind === 'unavailable' ? undefined : listDigest(tools);
}

const digests = new WeakMap<readonly string[], string>();

function listDigest(tools: Exclude<FrontTools, { kind: 'unavailable' }>): string {
  if (tools.kind === 'denied') return 'none';
  const { definitions } = tools;
  const digest = digests.get(definitions) ?? textDigest(definitions.join('\n'));
  digests.set(definitions, digest);
  return digest;
}

function say({ id, stream }: Subscription, method: string, params: object): void {
  const message = { jsonrpc: '2.0', method, params: { ...params, _meta: { [metaKeys.subscription]: id } } };
  stream.write(eventText({ data: JSON.stringify(message) }));
}
