import { afterAll, beforeAll, expect } from 'vitest';
import { accessibilityProblems, fitsItsWidth, inBrowser, openBrowser, type Visitor } from '../../browser.js';
import { admin, clientOf, decide, pendingApproval, toolListed, user } from '../../client.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const counters = createCounters();
afterAll(() => counters.remove());

const tool = 'fix__write';
const hostile = '</pre><img src=x onerror=alert(1)><script>alert(2)</script>\u202eevil';

onBothBuses(
  'the approval page',
  (bus) => ({ config: { mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters[bus].file }) } } } }),
  (product) => {
    beforeAll(async () => {
      await toolListed(clientOf(product()), tool);
    });

    const asked = async (id: string) => {
      const waiting = clientOf(product(), user).execute(tool, { id });
      const approval = await pendingApproval(clientOf(product()), tool);
      return { waiting, approval, path: `/approvals/${String(approval['approval_id'])}` };
    };
    const within = async (
      options: Parameters<typeof openBrowser>[0],
      visit: (visitor: Visitor) => Promise<void>,
    ): Promise<void> => {
      const visitor = await openBrowser(options);
      try {
        await visit(visitor);
        expect(visitor.complaints).toEqual([]);
      } finally {
        await visitor.close();
      }
    };

    inBrowser('in a browser', () => {
      keeps(
        ['approval.page'],
        'shows what would run, as text, and takes the vote of whoever an identity-aware proxy brings, by keyboard alone',
        async () => {
          const { waiting, path } = await asked(hostile);
          await within({}, async ({ page }) => {
            await page.goto(`${product().proxy}${path}`);
            expect(await page.locator('h1').innerText()).toBe(`Run ${tool}?`);
            const shown = await page.locator('pre').innerText();
            expect(shown).toContain('<script>alert(2)</script>');
            expect(shown).not.toContain('\u202e');
            expect(await page.getByText('User::"default/uma"').count()).toBe(1);
            await page.getByLabel('Reason (optional)').focus();
            await page.keyboard.type('fine <b>by</b> me');
            await page.keyboard.press('Tab');
            await page.keyboard.press('Enter');
            await page.waitForSelector('.state.consumed, .state.approved');
            expect(page.url()).toBe(`${product().proxy}${path}`);
            expect(await page.locator('main').innerText()).toContain('fine <b>by</b> me');
            expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
          });
          expect((await waiting).body['outcome']).toBe('completed');
        },
      );

      keeps(
        ['approval.page-identity'],
        'without a proxy one signs in with a token, decides, and signs out again',
        async () => {
          const { waiting, path } = await asked('signed-in');
          await within({}, async ({ page, context }) => {
            const first = await page.goto(`${product().gateway}${path}`);
            expect(first?.status()).toBe(401);
            expect(await page.locator('main').innerText()).not.toContain(tool);
            await page.getByLabel('Access token').fill('not.a.token');
            await page.getByRole('button', { name: 'Sign in' }).click();
            expect(await page.getByRole('alert').innerText()).toContain('not accepted');
            await page.getByLabel('Access token').fill(product().token(admin));
            await page.getByRole('button', { name: 'Sign in' }).click();
            await page.waitForURL(`${product().gateway}${path}`);
            const [cookie] = await context.cookies(`${product().gateway}/approvals`);
            expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/approvals' });
            expect((cookie?.expires ?? Infinity) - Date.now() / 1_000).toBeLessThanOrEqual(300);
            expect(await context.cookies(`${product().gateway}/api/uar/approvals`)).toEqual([]);
            await page.getByRole('button', { name: 'Reject' }).click();
            await page.waitForSelector('.state.rejected');
            await page.getByRole('button', { name: 'Sign out' }).click();
            await page.waitForURL(`${product().gateway}/approvals`);
            expect(await page.locator('h1').innerText()).toBe('Sign in to decide');
            expect(await context.cookies()).toEqual([]);
          });
          expect((await waiting).body['outcome']).toBe('approval_rejected');
        },
      );

      keeps(
        ['approval.page'],
        'a vote that does not count is said on the page, and others do not see it at all',
        async () => {
          const { waiting, approval, path } = await asked('refused');
          await within({}, async ({ page, context }) => {
            const as = (token: string) => context.setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
            await as(product().token(user));
            await page.goto(`${product().gateway}${path}`);
            await page.getByRole('button', { name: 'Approve' }).click();
            expect(await page.getByRole('alert').innerText()).toContain('you asked for this yourself');
            expect(await page.locator('.state').innerText()).toBe('Waiting for a decision');
            await as(product().token({ sub: 'eve', roles: ['user'] }));
            expect((await page.goto(`${product().gateway}${path}`))?.status()).toBe(404);
            await as(product().token({ sub: 'bo', roles: ['admin'], tenant: 'beta' }));
            expect([403, 404, 503]).toContain((await page.goto(`${product().gateway}${path}`))?.status());
            await as(product().token(admin));
            await page.goto(`${product().gateway}${path}`);
            await decide(clientOf(product()), approval, 'reject');
            await page.getByRole('button', { name: 'Approve' }).click();
            expect(await page.getByRole('alert').innerText()).toContain('came too late');
          });
          expect((await waiting).body['outcome']).toBe('approval_rejected');
        },
      );

      keeps(
        ['approval.page'],
        'can be used by everybody: no finding of axe in light and dark, nothing cut off at 320 pixels',
        async () => {
          const { waiting, approval, path } = await asked('x'.repeat(400));
          for (const colorScheme of ['light', 'dark'] as const)
            await within({ width: 320, colorScheme }, async ({ page }) => {
              for (const url of [
                `${product().proxy}${path}`,
                `${product().proxy}/approvals`,
                `${product().gateway}${path}`,
                `${product().proxy}/approvals/appr_none`,
              ]) {
                await page.goto(url);
                expect({ url, problems: await accessibilityProblems(page) }).toEqual({ url, problems: [] });
                expect({ url, fits: await fitsItsWidth(page) }).toEqual({ url, fits: true });
              }
            });
          await decide(clientOf(product()), approval, 'reject');
          await waiting;
        },
      );

      keeps(
        ['approval.page-identity'],
        'a page of somebody else can neither vote with a session nor frame the page',
        async () => {
          const { waiting, approval, path } = await asked('foreign');
          const target = `${product().gateway}${path}`;
          await within({}, async ({ page, context, complaints }) => {
            await page.goto(target);
            await page.getByLabel('Access token').fill(product().token(admin));
            await page.getByRole('button', { name: 'Sign in' }).click();
            await page.waitForURL(target);
            // Localhost is another site than 127.0.0.1, and serves whatever this test says.
            const evil = await context.newPage();
            const form = `<form method="post" action="${target}"><button name="decision" value="approve">Win</button></form>`;
            await evil.route('http://evil.localhost/**', (route) =>
              route.fulfill({ contentType: 'text/html', body: `${form}<iframe src="${target}"></iframe>` }),
            );
            await evil.goto('http://evil.localhost/');
            // What stands in the frame is the browser's own refusal.
            const framed = evil.frameLocator('iframe');
            expect(await framed.locator('h1').innerText()).not.toMatch(/Run|Sign in/);
            expect(await framed.locator('form').count()).toBe(0);
            const posted = evil.waitForResponse((response) => response.request().method() === 'POST');
            await evil.getByRole('button', { name: 'Win' }).click();
            expect([401, 403]).toContain((await posted).status());
            expect(complaints).toEqual([]);
          });
          const { body } = await clientOf(product()).get(`/api/uar${path}`);
          expect(body).toMatchObject({ status: 'pending', votes: [] });
          await decide(clientOf(product()), approval, 'reject');
          await waiting;
        },
      );
    });
  },
);
