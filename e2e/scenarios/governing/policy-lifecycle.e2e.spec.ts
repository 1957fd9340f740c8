import { readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { clientOf, eventually, toolListed, user, type Answer, type Body, type Client } from '../../client.js';
import { keeps } from '../../keeps.js';
import { fixtureServer, onBothBuses } from '../../on-both-buses.js';

const base = '/api/uar/governance';

/** Ways to write a set that must never decide; `pointer` is about a tool whose schema is closed. */
const faults: readonly { what: string; text: string; place: object }[] = [
  {
    what: 'a misspelled pointer',
    text: 'forbid (principal, action == UAR::Action::"callTool", resource == UAR::Tool::"default/fix/count")\nwhen { context.args.s.hasTag("/idd") };\n',
    place: { line: 2, suggestion: expect.stringContaining('/id') },
  },
  {
    what: 'an unknown entity',
    text: 'forbid (principal, action == UAR::Action::"callTool", resource in UAR::Sever::"default/fix");\n',
    place: { line: 1, suggestion: expect.stringContaining('Server') },
  },
  {
    what: 'a misspelled attribute',
    text: 'forbid (principal, action, resource)\nwhen { resource.readOnyl };\n',
    place: { line: 2, suggestion: expect.stringContaining('readOnly') },
  },
  {
    what: 'no Cedar at all',
    text: '@reason("x")\nforbid (principal, action, resource\n',
    place: { line: expect.any(Number), column: expect.any(Number) },
  },
];

onBothBuses(
  'the life of policies',
  () => ({ config: { mcp: { servers: { fix: fixtureServer() } } } }),
  (product) => {
    let client: Client;
    let starter: Record<string, string>;
    const tenantDir = (): string => join(product().policiesDir, 'tenants/default');
    const file = (name: string): string => join(tenantDir(), `${name}.cedar`);
    const view = async (): Promise<Body> => (await client.get(`${base}/policies`)).body;
    const version = async (): Promise<string> => String((await view())['version']);
    const ids = (body: Body): string[] =>
      (body['policies'] as unknown as { id: string }[]).map(({ id }) => id);
    const put = (body: object, who: Client = client): Promise<Answer> =>
      who.request(`${base}/policies`, { method: 'PUT', body });
    const putOver = async (body: object): Promise<Answer> => put({ ...body, if_version: await version() });
    const remove = async (): Promise<Answer> =>
      client.request(`${base}/policies`, { method: 'DELETE', body: { if_version: await version() } });
    const counts = async (): Promise<number> => (await client.execute('fix__count', {})).status;
    /** Details are told to operators alone. */
    const isNamed = async (id: string): Promise<boolean> =>
      (await (await fetch(`${product().management}/readyz`)).text()).includes(id);
    const forbid =
      'forbid (principal, action in UAR::Action::"invoke", resource == UAR::Tool::"default/fix/count");\n';

    beforeAll(async () => {
      client = clientOf(product());
      await toolListed(client, 'fix__count');
      const names = readdirSync(tenantDir());
      starter = Object.fromEntries(
        names.map((name) => [`t/${basename(name, '.cedar')}`, readFileSync(join(tenantDir(), name), 'utf8')]),
      );
    });
    afterAll(() => rmSync(file('e2e-fault'), { force: true }));

    keeps(
      ['policy.refused-put', 'policy.broken-reload'],
      'faults are refused by API and in the folder, with policy, place and what was meant; the old set decides',
      async () => {
        const before = await version();
        for (const { what, text, place } of faults) {
          const answer = await putOver({ policies: { ...starter, 't/e2e-fault': text } });
          const details = answer.body['error']?.['details'];
          expect([what, answer.status, String(answer.body['error']?.['code'])]).toEqual([
            what,
            422,
            'policies_invalid',
          ]);
          expect(details?.['errors']).toEqual(
            expect.arrayContaining([
              expect.objectContaining({ policy_id: 't/e2e-fault', message: expect.any(String), ...place }),
            ]),
          );
          writeFileSync(file('e2e-fault'), text);
          await eventually(async () => ((await isNamed('t/e2e-fault')) ? true : undefined));
          expect([what, (await client.get('/readyz')).status]).toEqual([what, 200]);
          expect([what, await version(), await counts()]).toEqual([what, before, 200]);
          rmSync(file('e2e-fault'));
          await eventually(async () => ((await isNamed('t/e2e-fault')) ? undefined : true));
        }
      },
    );

    keeps(
      ['policy.missing-guard'],
      'a guard of the platform that is gone keeps every new set out',
      async () => {
        const guard = join(product().policiesDir, 'platform/kill-switch.cedar');
        const before = await version();
        renameSync(guard, `${guard}.away`);
        await eventually(async () => ((await isNamed('p/kill-switch')) ? true : undefined));
        const answer = await putOver({ policies: { ...starter, 't/e2e-new': forbid } });
        expect(answer.status).toBe(422);
        expect(answer.body['error']?.['details']?.['errors']).toEqual(
          expect.arrayContaining([expect.objectContaining({ policy_id: 'p/kill-switch' })]),
        );
        expect([await version(), await counts()]).toEqual([before, 200]);
        renameSync(`${guard}.away`, guard);
        await eventually(async () => ((await isNamed('p/kill-switch')) ? undefined : true));
      },
    );

    keeps(
      ['policy.put', 'policy.if-version', 'policy.dry-run'],
      'a set written by API decides at once; a stale version and a dry run change nothing',
      async () => {
        const first = await version();
        const policies = { ...starter, 't/e2e-new': forbid };
        const dry = await putOver({ policies, dry_run: true });
        expect(dry.body).toMatchObject({ dry_run: true, differences: { added: ['t/e2e-new'], removed: [] } });
        expect([await version(), await counts()]).toEqual([first, 200]);
        const written = await putOver({ policies });
        expect([written.status, written.body]).toMatchObject([200, { source: 'api', drift: false }]);
        expect(String(written.body['version'])).toBe(String(dry.body['version']));
        expect(await counts()).toBe(403);
        const stale = await put({ policies: starter, if_version: first });
        expect([stale.status, stale.body['error']?.['details']]).toEqual([
          409,
          { version: written.body['version'] },
        ]);
        const denied = await put(
          { policies: starter, if_version: await version() },
          clientOf(product(), user),
        );
        expect([denied.status, String(denied.body['error']?.['code'])]).toEqual([403, 'policy_denied']);
        expect(await counts()).toBe(403);
        const { body } = await client.get('/api/uar/receipts?limit=1000');
        const receipts = body['receipts'] as unknown as {
          kind: string;
          action?: string;
          principal: string;
        }[];
        expect(receipts).toContainEqual(
          expect.objectContaining({
            kind: 'admin',
            principal: 'User::"default/ada"',
            action: `policies.put ${String(written.body['version'])}`,
          }),
        );
        expect((await remove()).body).toMatchObject({ source: 'file', version: first });
        expect(await counts()).toBe(200);
      },
    );

    keeps(
      ['policy.authority', 'policy.rollback'],
      'the API wins over the folder, whose edits show as drift, until DELETE; earlier versions can come back',
      async () => {
        const first = await version();
        const second = String(
          (await putOver({ policies: { ...starter, 't/e2e-new': forbid } })).body['version'],
        );
        writeFileSync(
          file('e2e-file'),
          '@reason("from the folder")\nforbid (principal in UAR::Role::"default/nobody", action, resource);\n',
        );
        await eventually(async () => (String((await view())['drift']) === 'true' ? true : undefined), 3_000);
        expect([await version(), await counts()]).toEqual([second, 403]);
        const back = await putOver({ version: first });
        expect(back.body).toMatchObject({ version: first, source: 'api' });
        expect(await counts()).toBe(200);
        const versions = (await client.get(`${base}/policies/versions`)).body['versions'];
        expect(versions).toEqual(
          expect.arrayContaining([
            expect.objectContaining({ version: first, active: true, by: 'User::"default/ada"' }),
            expect.objectContaining({ version: second, active: false, source: 'api' }),
          ]),
        );
        const given = await remove();
        expect(ids(given.body)).toContain('t/e2e-file');
        expect(given.body).toMatchObject({ source: 'file', drift: false });
        rmSync(file('e2e-file'));
        await eventually(async () => ((await version()) === first ? true : undefined), 3_000);
      },
    );

    keeps(['policy.proposal'], 'a proposal waits, is checked, and is put in force once', async () => {
      const policies = { ...starter, 't/e2e-new': forbid };
      const check = await client.request(`${base}/validate`, { body: { policies } });
      expect(check.body).toEqual({ valid: true, errors: [], warnings: [] });
      const proposed = await client.request(`${base}/proposals`, {
        body: { policies, if_version: await version(), note: 'count is broken' },
      });
      expect([proposed.status, proposed.body]).toMatchObject([
        201,
        { author: 'User::"default/ada"', differences: { added: ['t/e2e-new'] } },
      ]);
      expect(await counts()).toBe(200);
      const { proposal_id } = proposed.body;
      const activated = await putOver({ proposal_id });
      expect([activated.status, await counts()]).toEqual([200, 403]);
      expect((await putOver({ proposal_id })).status).toBe(404);
      expect((await remove()).status).toBe(200);
      expect(await counts()).toBe(200);
    });

    keeps(['policy.schema'], 'the schema is served with what the live catalog adds', async () => {
      const { status, body } = await client.get(`${base}/schema`);
      expect(status).toBe(200);
      expect(String(body['schema'])).toContain('namespace UAR');
      expect(JSON.stringify(body['catalog'])).toContain('default/fix/count');
      expect((await clientOf(product(), user).get(`${base}/schema`)).status).toBe(403);
    });
  },
);
