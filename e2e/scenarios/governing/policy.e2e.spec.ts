import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { clientOf, eventually, toolListed, user } from '../../client.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const counters = createCounters();
afterAll(() => counters.remove());

onBothBuses(
  'policy',
  (bus) => ({ config: { mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters[bus].file }) } } } }),
  (product, bus) => {
    const policy = (name: string): string => join(product().policiesDir, 'tenants/default', `${name}.cedar`);
    const counted = (): number => counters[bus].executions().length;
    beforeAll(async () => {
      await toolListed(clientOf(product()), 'fix__count');
    });

    keeps(
      ['policy.forbid-file'],
      'a forbid written into the folder denies within 2 s, and its removal allows',
      async () => {
        const client = clientOf(product());
        expect((await client.execute('fix__count', {})).status).toBe(200);
        writeFileSync(
          policy('e2e-forbid'),
          '@reason("not now")\nforbid (principal, action in UAR::Action::"invoke", resource == UAR::Tool::"default/fix/count");\n',
        );
        const denied = await eventually(async () => {
          const answer = await client.execute('fix__count', {});
          return answer.status === 403 ? answer : undefined;
        }, 2_000);
        expect(denied.body).toMatchObject({
          outcome: 'policy_denied',
          effect: 'did_not_run',
          decision: { kind: 'deny' },
        });
        expect(denied.text).not.toContain('not now');
        expect((await client.execute('fix__raw')).status).toBe(200);
        rmSync(policy('e2e-forbid'));
        await eventually(
          async () => ((await client.execute('fix__count', {})).status === 200 ? true : undefined),
          2_500,
        );
      },
    );

    keeps(
      ['policy.broken-reload'],
      'a broken file keeps the old set in force and readiness names it',
      async () => {
        const client = clientOf(product());
        writeFileSync(
          policy('e2e-broken'),
          'permit (principal, action, resource) when { principal.nosuch };\n',
        );
        const managed = async () => {
          const answer = await fetch(`${product().management}/readyz`);
          return { status: answer.status, isNamed: (await answer.text()).includes('e2e-broken') };
        };
        await eventually(async () => ((await managed()).isNamed ? true : undefined));
        expect((await managed()).status).toBe(200);
        const open = await client.get('/readyz');
        expect([open.status, JSON.parse(open.text)]).toMatchObject([
          200,
          { ready: true, problems: ['tenant_policies_refused'] },
        ]);
        expect((await client.execute('fix__count', {})).status).toBe(200);
        rmSync(policy('e2e-broken'));
        await eventually(async () => ((await managed()).isNamed ? undefined : true));
      },
    );

    keeps(['policy.hidden-tool'], 'a tool hidden by policy is neither listed nor callable', async () => {
      writeFileSync(
        policy('e2e-hide'),
        'forbid (principal, action == UAR::Action::"discoverTool", resource == UAR::Tool::"default/fix/fail");\n',
      );
      const client = clientOf(product());
      await eventually(async () =>
        (await client.get('/api/tools/fix__fail')).status === 404 ? true : undefined,
      );
      const { body } = await client.get('/api/tools');
      expect((body['tools'] as unknown as { name: string }[]).map(({ name }) => name)).not.toContain(
        'fix__fail',
      );
      const call = await client.execute('fix__fail');
      expect({ status: call.status, outcome: call.body['outcome'], decision: call.body['decision'] }).toEqual(
        {
          status: 404,
          outcome: 'unknown_tool',
          decision: null,
        },
      );
      rmSync(policy('e2e-hide'));
    });

    keeps(['policy.no-way-around'], 'no odd request reaches a tool', async () => {
      const client = clientOf(product());
      const path = '/api/tools/fix__count/execute';
      const before = counted();
      const raw = (text: string, headers = {}): Promise<number> =>
        client.request(path, { raw: text, headers }).then(({ status }) => status);
      expect(await raw('{"arguments":{"id":"a"},"arguments":{"id":"b"}}')).toBe(400);
      expect(await raw('{"arguments":{"id":"a","\\u0069d":"b"}}')).toBe(400);
      expect(await raw('{"Arguments":{"id":"a"}}')).toBe(400);
      expect(await raw('{"arguments":{"id":"a"},"tool":"fix__fail"}')).toBe(400);
      expect(await raw('[{"arguments":{"id":"a"}}]')).toBe(400);
      expect(await raw('{"arguments":["a"]}')).toBe(400);
      expect(await raw('{"arguments":{"id":"a"}}', { 'content-type': 'text/plain' })).toBe(415);
      expect(await raw('id=a', { 'content-type': 'application/x-www-form-urlencoded' })).toBe(415);
      expect(await raw('{"arguments":{"id":"a"}')).toBe(400);
      expect(
        (await client.request('/api/tools/fix__count/execute', { method: 'GET' })).status,
      ).toBeGreaterThanOrEqual(404);
      expect(counted()).toBe(before);
    });

    keeps(['policy.entity-arguments'], 'arguments shaped like entities change nothing', async () => {
      const client = clientOf(product(), user);
      const before = counted();
      for (const id of [
        { __entity: { type: 'UAR::User', id: 'default/ada' } },
        { __extn: { fn: 'unknown', arg: 'x' } },
      ]) {
        expect((await client.execute('fix__count', { id })).body['outcome']).toBe('invalid_arguments');
      }
      expect(counted()).toBe(before);
      expect(
        (await client.execute('fix__raw', { __entity: { type: 'UAR::Role', id: 'default/admin' } })).status,
      ).toBe(200);
    });
  },
);
