import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { clientOf, decide, pendingApproval, toolListed, user } from '../../client.js';
import { keeps } from '../../keeps.js';
import { onBothBuses } from '../../on-both-buses.js';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'uar-files-')));
const allowed = join(root, 'allowed');
const outside = join(root, 'allowed-twin');
afterAll(() => rmSync(root, { recursive: true, force: true }));

onBothBuses(
  'native file tools',
  () => ({ config: { native_tools: { file_tools_enabled: true, file_allowed_paths: [allowed] } } }),
  (product) => {
    beforeAll(async () => {
      for (const dir of [allowed, outside]) {
        rmSync(dir, { recursive: true, force: true });
        mkdirSync(dir);
      }
      writeFileSync(join(allowed, 'a.txt'), 'one\ntwo\nthree\n');
      writeFileSync(join(outside, 'secret.txt'), 'outside');
      symlinkSync(join(outside, 'secret.txt'), join(allowed, 'link.txt'));
      linkSync(join(outside, 'secret.txt'), join(allowed, 'hard.txt'));
      await toolListed(clientOf(product()), 'native__file_read');
    });

    keeps(['native.files'], 'a file is read inside the allowed folder', async () => {
      const { body } = await clientOf(product()).execute('native__file_read', {
        path: join(allowed, 'a.txt'),
      });
      expect(body).toMatchObject({ outcome: 'completed', result: { content: [{ type: 'text' }] } });
      expect(JSON.stringify(body['result'])).toContain('two');
    });

    keeps(['native.files'], 'nothing outside is read, whatever the path looks like', async () => {
      const paths = [
        join(outside, 'secret.txt'),
        `${allowed}/../allowed-twin/secret.txt`,
        join(allowed, 'link.txt'),
        join(allowed, 'hard.txt'),
        '/proc/self/environ',
        '/etc/passwd',
        allowed,
      ];
      for (const path of paths) {
        const { body, text } = await clientOf(product()).execute('native__file_read', { path });
        expect(body['success'], path).toBe(false);
        expect(text, path).not.toContain('outside"');
      }
    });

    keeps(['native.files'], 'a write needs a human, then writes; a patch changes one place', async () => {
      const path = join(allowed, 'new.txt');
      const writing = clientOf(product(), user).execute('native__file_write', {
        path,
        content: 'alpha beta',
      });
      await decide(
        clientOf(product()),
        await pendingApproval(clientOf(product()), 'native__file_write'),
        'approve',
      );
      expect((await writing).body['outcome']).toBe('completed');
      expect(readFileSync(path, 'utf8')).toBe('alpha beta');
      const patching = clientOf(product(), user).execute('native__file_patch', {
        path,
        old_string: 'beta',
        new_string: 'gamma',
      });
      await decide(
        clientOf(product()),
        await pendingApproval(clientOf(product()), 'native__file_patch'),
        'approve',
      );
      expect((await patching).body['outcome']).toBe('completed');
      expect(readFileSync(path, 'utf8')).toBe('alpha gamma');
    });
  },
);

onBothBuses(
  'native tools by default',
  () => ({}),
  (product) => {
    keeps(['native.off'], 'families that are off are not in the catalog', async () => {
      const { body, status } = await clientOf(product()).get('/api/tools');
      expect(status).toBe(200);
      expect(body['tools']).toEqual([]);
      expect((await clientOf(product()).execute('native__file_read', { path: '/etc/hostname' })).status).toBe(
        404,
      );
    });
  },
);
