/** Asks of other services that are being answered here: whoever asked may leave before there is an answer. */
export class OpenAsks {
  private readonly leaving = new Map<string, () => void>();

  /** `onLeft` is called once at most. The returned function ends it. */
  add(id: string, onLeft: () => void): () => void {
    this.leaving.set(id, onLeft);
    return () => this.leaving.delete(id);
  }

  leave(id: string): { found: boolean } {
    const onLeft = this.leaving.get(id);
    this.leaving.delete(id);
    onLeft?.();
    return { found: onLeft !== undefined };
  }
}
