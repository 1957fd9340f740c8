import type { Announcer, ApprovalRecord } from '../../domain/ports.js';

/** Announces, and wakes whoever sends messages: both only after the record is durable. */
export class WakingAnnouncer implements Announcer {
  constructor(
    private readonly announcer: Announcer,
    private readonly wake: () => void,
  ) {}

  required(record: ApprovalRecord): void {
    this.announcer.required(record);
    this.wake();
  }

  settled(record: ApprovalRecord): void {
    this.announcer.settled(record);
    this.wake();
  }
}
