import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import axe from 'axe-core';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { describe } from 'vitest';

const found = findChromium();
const isRequired = (process.env['UAR_TEST_REQUIRE'] ?? '').split(',').includes('chromium');
if (found === undefined && !isRequired) console.warn('not run: e2e in a browser (no chromium found)');

/** A group of tests that need a browser: left out, and said so, where there is none and none is required. */
export function inBrowser(name: string, body: () => void): void {
  if (found === undefined && !isRequired) describe.skip(name, body);
  else describe(name, body);
}

function findChromium(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  return folders.map((folder) => join(folder, 'chromium')).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about, and scripts that ran where none may. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** A browser of somebody's own, with nothing in it. */
export async function openBrowser(
  options: { readonly width?: number; readonly colorScheme?: 'light' | 'dark' } = {},
): Promise<Visitor> {
  const profile = mkdtempSync(join(tmpdir(), 'uar-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: found ?? 'chromium',
    headless: true,
    args: flags,
    viewport: { width: options.width ?? 1024, height: 800 },
    colorScheme: options.colorScheme ?? 'light',
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const complaints: string[] = [];
  page.on('console', (message) => {
    // A page that answers 401, 403 or 409 is a page all the same.
    if (message.type() === 'error' && !message.text().includes('status of 4'))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return {
    page,
    context,
    complaints,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** What axe finds wrong with a page by WCAG 2.2 A and AA and good practice, one line each. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** True when nothing has to be scrolled sideways. */
export function fitsItsWidth(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth');
}
