import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { placeOf } from '../place.js';
import { Connection } from './connection.js';

afterEach(() => vi.useRealTimers());

it('is tried again within moments after it failed, although the clock was set back meanwhile', async () => {
  let tried = 0;
  const server = createServer((socket) => {
    tried += 1;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const limits = { connectMs: 1_000, statementMs: 1_000, lockMs: 1_000, idleInTransactionMs: 1_000 };
  const place = placeOf(`postgres://uar@127.0.0.1:${port}/uar`);
  const connection = new Connection({ place, limits, answers: new Int32Array(1) });
  await expect(connection.run([{ text: 'SELECT 1' }], false)).rejects.toThrow();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  await delay(200);
  await expect(connection.run([{ text: 'SELECT 1' }], false)).rejects.toThrow();
  expect(tried).toBe(2);
  server.close();
});
