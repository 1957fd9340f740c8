import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findNatsServer,
  findPostgres,
  type Product,
  type ProductOptions,
  repositoryDir,
  startProduct,
} from '@uar/testkit';
import { afterAll, beforeAll, describe } from 'vitest';

export type Bus = ProductOptions['bus'];

const required = (process.env['UAR_TEST_REQUIRE'] ?? '').split(',');
const tried = (part: 'nats' | 'postgres', isFound: boolean): boolean => {
  if (isFound || required.includes(part)) return true;
  console.warn(`not run: e2e over ${part === 'nats' ? 'NATS' : 'Postgres'} (none found)`);
  return false;
};

/** The buses that can be tried here; NATS stays in the list, and fails, where it is required. */
export const buses: readonly Bus[] = tried('nats', findNatsServer() !== undefined)
  ? ['inprocess', 'nats']
  : ['inprocess'];

const triesPostgres =
  process.env['UAR_E2E_LEDGER'] !== 'sqlite' && tried('postgres', findPostgres() !== undefined);

/** Whatever runs on both buses runs on both ledgers with them: SQLite in one process, Postgres over NATS. */
export function ledgerOn(bus: Bus): 'sqlite' | 'postgres' {
  return bus === 'nats' && triesPostgres ? 'postgres' : 'sqlite';
}

/** One product per bus, started before the tests of `body` and stopped after them. */
export function onBothBuses(
  name: string,
  options: (bus: Bus) => Omit<ProductOptions, 'bus'>,
  body: (product: () => Product, bus: Bus) => void,
): void {
  describe.each(buses)(`${name} (%s)`, (bus) => {
    let product: Product | undefined;
    beforeAll(async () => {
      product = await startProduct({ bus, ledger: ledgerOn(bus), ...options(bus) });
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
