import { RunId } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { extension } from '../cedar/cedar.js';
import { environment, wholeSecond } from './context.js';

const runId = RunId.parse(`run_${'0'.repeat(32)}`);
const clockAt = (iso: string) =>
  environment({
    caller: { channel: 'api', run_id: runId, session_id: 's' },
    profile: 'minimal',
    now: Date.parse(iso),
  });

describe('the environment of a question', () => {
  it('has the clock in whole seconds that have begun', () => {
    for (const ms of ['000', '001', '999'])
      expect(clockAt(`2026-11-30T18:00:59.${ms}Z`)).toMatchObject({
        now: extension('datetime', '2026-11-30T18:00:59.000Z'),
      });
  });

  it('expires at the end of a second, at once where that is now', () => {
    const at = (iso: string) => wholeSecond('ceil', Date.parse(iso));
    expect(at('2026-11-30T18:00:59.001Z')).toEqual(extension('datetime', '2026-11-30T18:01:00.000Z'));
    expect(at('2026-11-30T18:00:59.000Z')).toEqual(extension('datetime', '2026-11-30T18:00:59.000Z'));
  });
});
