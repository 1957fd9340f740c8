import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer, type Product, type ProductOptions, repositoryDir, startProduct } from '@uar/testkit';
import { afterAll, beforeAll, describe } from 'vitest';

export type Bus = ProductOptions['bus'];

const natsFound = findNatsServer() !== undefined;
const natsRequired = (process.env['UAR_TEST_REQUIRE'] ?? '').split(',').includes('nats');
if (!natsFound && !natsRequired) console.warn('not run: e2e over NATS (no nats-server found)');

/** The buses that can be tried here; NATS stays in the list, and fails, where it is required. */
export const buses: readonly Bus[] = natsFound || natsRequired ? ['inprocess', 'nats'] : ['inprocess'];

/** One product per bus, started before the tests of `body` and stopped after them. */
export function onBothBuses(
  name: string,
  options: (bus: Bus) => Omit<ProductOptions, 'bus'>,
  body: (product: () => Product, bus: Bus) => void,
): void {
  describe.each(buses)(`${name} (%s)`, (bus) => {
    let product: Product | undefined;
    beforeAll(async () => {
      product = await startProduct({ bus, ...options(bus) });
    });
    afterAll(async () => {
      await product?.stop();
    });
    body(() => {
      if (product === undefined) throw new Error('the product did not start');
      return product;
    }, bus);
  });
}

/** A scratch folder, and the executions that fixture upstreams counted in it. */
export interface Counter {
  readonly dir: string;
  readonly file: string;
  executions(): string[];
  remove(): void;
}

/** One counter per bus, so that neither run sees the other's executions. */
export function createCounters(): Readonly<Record<Bus, Counter>> & { remove(): void } {
  const inprocess = createCounter();
  const nats = createCounter();
  return {
    inprocess,
    nats,
    remove: () => {
      inprocess.remove();
      nats.remove();
    },
  };
}

function createCounter(): Counter {
  const dir = mkdtempSync(join(tmpdir(), 'uar-count-'));
  const file = join(dir, 'executions');
  return {
    dir,
    file,
    executions: () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** Configuration of the hand-written upstream in `fixtures/upstream.mjs`. */
export function fixtureServer(
  env: Readonly<Record<string, string>> = {},
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    transport: 'stdio',
    command: process.execPath,
    args: [join(repositoryDir, 'e2e/fixtures/upstream.mjs')],
    env,
    trust_annotations: true,
    ...more,
  };
}
