import type { EffectiveCatalog, ListChange } from '../../../domain/catalog/effective-catalog.js';

const gatherMs = 250;

/** Gathers changes of lists for a moment, so that a burst of them is one piece of news. */
export class ListNews {
  private readonly forget: () => void;
  private changes: ListChange[] = [];

  constructor(
    lists: Pick<EffectiveCatalog, 'onChange'>,
    private readonly tell: (changes: readonly ListChange[]) => Promise<void>,
  ) {
    this.forget = lists.onChange((change) => this.note(change));
  }

  close(): void {
    this.forget();
  }

  private note(change: ListChange): void {
    if (this.changes.length === 0) setTimeout(() => this.tellAll(), gatherMs).unref();
    this.changes.push(change);
  }

  private tellAll(): void {
    const { changes } = this;
    this.changes = [];
    void this.tell(changes);
  }
}
