import { describe, expect, it } from 'vitest';
import { Peers } from './peers.js';

describe('peers', () => {
  it('are missing when they were heard and are not any more, until they leave or are taken for gone', () => {
    const peers = new Peers();
    expect(peers.isMissing(0)).toBe(false);
    peers.heard('one', 0);
    expect([peers.isMissing(2_500), peers.isMissing(2_501), peers.isMissing(12_500)]).toEqual([
      ...[false, true, true],
    ]);
    expect([peers.isMissing(12_501), peers.isMissing(2_501)]).toEqual([false, false]);
    peers.heard('two', 0);
    peers.left('two');
    expect(peers.isMissing(3_000)).toBe(false);
  });
});
