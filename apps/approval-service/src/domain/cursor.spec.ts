import { describe, expect, it } from 'vitest';
import { draft } from '../contract-spec/samples.fixture.js';
import { cursorOf, placeOf } from './cursor.js';

describe('a cursor', () => {
  it('names the record it was made from', () => {
    const record = { draft: draft(), status: 'pending', createdAt: 1_790_000_000_000, votes: [] } as const;
    expect(placeOf(cursorOf(record))).toEqual({
      createdAt: record.createdAt,
      approvalId: record.draft.approval_id,
    });
  });

  it('is refused when it is not one of ours', () => {
    for (const text of ['', 'x', '1.2', `1e9.appr_${'0'.repeat(32)}`, `1.appr_${'0'.repeat(32)} `]) {
      expect(placeOf(text), text).toBeUndefined();
    }
  });
});
