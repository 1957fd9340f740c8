import { randomBytes } from 'node:crypto';
import { createSeal } from '@uar/keys';
import { expect, it } from 'vitest';
import { openLedger } from '../open-ledger.js';
import { inEveryLastingPlace } from './places.fixture.js';
import { acme, callId, startOfTime as now } from './samples.fixture.js';

inEveryLastingPlace('views', (placed) =>
  it('reads every pending view that can be opened, whatever else lies there under a data key that is gone', async () => {
    const place = await placed();
    const gateway = '0123456789abcdef';
    const call = () => ({ tenant: acme, call_id: callId(), principal: 'User::"acme/ann"' });
    const keep = async (seal: typeof place.options.seal) => {
      const ledger = await openLedger({ ...place.options, seal });
      const kept = call();
      await ledger.keepCall({ ...kept, view_json: '{"a":1}', pending_at: gateway, expires_at: now + 10 });
      return { ledger, kept };
    };
    const before = await keep(place.options.seal);
    await before.ledger.close();
    const { ledger, kept } = await keep(createSeal(randomBytes(32).toString('hex')));
    const views = await ledger.readPendingViews({ gateway, limit: 10, now });
    expect(views).toHaveLength(2);
    expect(views).toContainEqual({ ...before.kept, view_json: '' });
    expect(views).toContainEqual({ ...kept, view_json: '{"a":1}' });
    const end = { ...before.kept, gateway, view_json: '{"a":"over"}' };
    expect(await ledger.endPendingView(end)).toBe(true);
    expect(await ledger.readKeptCall({ ...kept, now })).toMatchObject({ pending_at: gateway });
    const over = await ledger.readKeptCall({ ...before.kept, now });
    expect(over).toMatchObject({ view_json: '{"a":"over"}' });
    expect(over).not.toHaveProperty('pending_at');
    await ledger.close();
    place.remove();
  }),
);
