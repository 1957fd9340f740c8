import type { Bus } from '@uar/bus';
import { readSettings, writeSetting } from '@uar/contracts';
import type { Setting, Settings } from '../domain/ports.js';

/** The settings of the ledger, over the bus. */
export class LedgerSettings implements Settings {
  constructor(private readonly bus: Bus) {}

  async read(namespace: string): Promise<readonly Setting[] | undefined> {
    const reply = await this.bus.ask(readSettings, { namespace });
    return reply.kind === 'fault' ? undefined : reply.value.settings;
  }

  async write({ tenant, namespace, key, value, ifRevision }: Parameters<Settings['write']>[0]) {
    const ask = { tenant, namespace, key, value, if_revision: ifRevision };
    const reply = await this.bus.ask(writeSetting, ask);
    if (reply.kind === 'fault') return { kind: 'unavailable' } as const;
    return reply.value.kind === 'conflict' ? ({ kind: 'conflict' } as const) : reply.value;
  }
}
