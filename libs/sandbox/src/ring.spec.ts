import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteRing } from './ring.js';

it('keeps exactly the last bytes, however they were cut into chunks', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.uint8Array({ maxLength: 90 })),
      (capacity, chunks) => {
        const ring = new ByteRing(capacity);
        for (const chunk of chunks) ring.write(chunk);
        const all = Buffer.concat(chunks);
        expect(ring.total).toBe(all.length);
        expect(ring.read()).toEqual(all.subarray(Math.max(0, all.length - capacity)));
      },
    ),
  );
});

it('refuses to be of no size', () => {
  expect(() => new ByteRing(0)).toThrow(RangeError);
});
