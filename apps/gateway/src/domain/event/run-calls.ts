import type { ShownEvent } from './shown-events.js';

/** Ten windows of a run: beyond them the oldest are forgotten. */
const mostCalls = 10_000;

/** What one stream of a run has shown of its calls. */
export class RunCalls {
  private readonly proposed = new Set<string>();
  private readonly ended = new Set<string>();

  /** Calls that were proposed and have not ended. */
  get open(): number {
    return this.proposed.size;
  }

  /** Takes note of an event that comes next. False: it tells a second end of a call, which is not shown. */
  admits({ callId, type }: ShownEvent): boolean {
    if (callId === undefined) return true;
    const isEnded = this.ended.has(callId);
    if (type === 'call.proposed' && !isEnded) add(this.proposed, callId);
    if (type !== 'call.ended') return true;
    this.proposed.delete(callId);
    add(this.ended, callId);
    return !isEnded;
  }
}

function add(ids: Set<string>, id: string): void {
  ids.add(id);
  if (ids.size <= mostCalls) return;
  const [oldest] = ids;
  if (oldest !== undefined) ids.delete(oldest);
}
