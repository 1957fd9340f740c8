import type { StoredRun } from '@uar/contracts';
import type { Alarm } from './domain/ports.js';
import type { EventBook } from './events/event-book.js';

/** What follows a written run: its event, and the alarm for its end. */
export class RunNews {
  constructor(
    private readonly events: EventBook,
    private readonly ends: Alarm,
  ) {}

  async written(run: StoredRun, revision: number): Promise<void> {
    await this.events.noteRun(run, revision);
    if (run.status === 'active') this.ends.setFor(run.expires_at);
  }
}
