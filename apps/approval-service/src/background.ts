/** Something that the service does by itself, from when it answers until it stops. */
export interface BackgroundWork {
  start(): Promise<void> | void;
  /** May be called twice. */
  stop(): Promise<void>;
}

/** All of it, begun in order and ended together; the lead comes first and goes last. */
export class Background implements BackgroundWork {
  constructor(
    private readonly lead: BackgroundWork,
    private readonly works: readonly BackgroundWork[],
  ) {}

  async start(): Promise<void> {
    await this.lead.start();
    for (const work of this.works) await work.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.works.map((work) => work.stop()));
    await this.lead.stop();
  }
}
