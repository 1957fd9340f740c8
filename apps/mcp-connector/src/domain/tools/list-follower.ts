import type { Digest } from '@uar/contracts';
import type { Clock } from '../clock.js';
import { RelistPacer } from './relist-pacer.js';
import { readToolList, type ReadList } from './tool-list.js';
import type { Upstream } from '../upstream.js';

export interface FollowOptions {
  readonly upstream: Pick<Upstream, 'listPage' | 'toolProblem'>;
  readonly digestOf: (definition: string) => Digest;
  readonly clock: Clock;
  readonly pace: ConstructorParameters<typeof RelistPacer>[0];
  readonly signal: AbortSignal;
  readonly onRead: (read: ReadList) => void;
}

/** Reads the list again some time after the returned function was called: many changes, one read. */
export function followList(options: FollowOptions): () => void {
  const { clock, signal } = options;
  const pacer = new RelistPacer(options.pace);
  pacer.wasRead(clock.now());
  let waiting = false;
  const readAgain = async (): Promise<void> => {
    await clock.wait(pacer.delayAfterChange(clock.now()), signal);
    waiting = false;
    if (signal.aborted) return;
    const read = await readToolList(options);
    pacer.wasRead(clock.now());
    if (!signal.aborted) options.onRead(read);
  };
  return () => {
    if (waiting) return;
    waiting = true;
    void readAgain();
  };
}
