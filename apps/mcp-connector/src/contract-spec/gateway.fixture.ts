import type { Bus } from '@uar/bus';
import {
  askClient,
  upstreamNotified,
  withdrawAsk,
  type AnswerOf,
  type AskOf,
  type BodyOf,
  type Seat,
} from '@uar/contracts';
import type { World } from '../connector.fixture.js';

type Asked = AskOf<typeof askClient>;
type Said = AnswerOf<typeof askClient>;
type Notified = BodyOf<typeof upstreamNotified>;

export const principals = { alice: 'User::"default/alice"', bob: 'User::"default/bob"' } as const;

/** What the process behind a seat tells of itself (test/items-server.mjs). */
export interface UpstreamState {
  readonly pid: number;
  readonly home: string;
  readonly capabilities: object;
  readonly level: string | null;
  readonly subscribed: readonly string[];
  readonly waiting: number;
}

/** A gateway whose clients say what the test has them say. */
export class Gateway {
  readonly asked: Asked[] = [];
  readonly told: Notified[] = [];
  readonly withdrawn: AskOf<typeof withdrawAsk>[] = [];
  say: (ask: Asked) => Said | Promise<Said> = () => ({ kind: 'gone' });

  private constructor(readonly bus: Bus) {}

  static async start(bus: Bus): Promise<Gateway> {
    const gateway = new Gateway(bus);
    bus.answer(askClient, (ask) => {
      gateway.asked.push(ask);
      return gateway.say(ask);
    });
    bus.answer(withdrawAsk, (ask) => {
      gateway.withdrawn.push(ask);
      return { found: true };
    });
    bus.listen(upstreamNotified, (notice) => gateway.told.push(notice));
    await bus.flush();
    return gateway;
  }

  seat(id: string, capabilities: object = {}, more: Partial<Seat> = {}): Seat {
    return { id, gateway: this.bus.instance, capabilities_json: JSON.stringify(capabilities), ...more };
  }

  /** Texts of what was told of that method. */
  toldOf(method: string): string[] {
    return this.told.flatMap((notice) => (notice.method === method ? [notice.params_json] : []));
  }
}

export async function stateOf(
  world: World,
  server: string,
  whose: { readonly principal?: string; readonly seat?: Seat },
): Promise<UpstreamState> {
  return JSON.parse(await world.textOf(server, 'state', {}, whose)) as UpstreamState;
}
