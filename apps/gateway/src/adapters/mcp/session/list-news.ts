const gatherMs = 250;

/** Gathers changes of lists for a moment, so that a burst of them is one piece of news. */
export class ListNews<Change> {
  private readonly forget: () => void;
  private changes: Change[] = [];

  constructor(
    onChange: (listener: (change: Change) => void) => () => void,
    private readonly tell: (changes: readonly Change[]) => Promise<void>,
  ) {
    this.forget = onChange((change) => this.note(change));
  }

  close(): void {
    this.forget();
  }

  private note(change: Change): void {
    if (this.changes.length === 0) setTimeout(() => this.tellAll(), gatherMs).unref();
    this.changes.push(change);
  }

  private tellAll(): void {
    const { changes } = this;
    this.changes = [];
    void this.tell(changes);
  }
}
