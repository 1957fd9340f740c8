import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig, type LoadOptions } from '../load.js';
import { printConfig } from '../print.js';

const cwd = mkdtempSync(join(tmpdir(), 'uar-webhook-config-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const secret = 'planted-'.repeat(4);

function load(webhook: { url?: string; secret_env?: string } = {}, more: Partial<LoadOptions> = {}) {
  const whole = { url: 'https://hook.example/x', secret_env: 'HOOK_KEY', ...webhook };
  const overrides = { approvals: { webhook: whole } };
  const base = { cwd, file: null, generate: false, service: 'approval-service' } as const;
  return loadConfig({ ...base, env: { HOOK_KEY: secret }, overrides, ...more });
}

function problems(...args: Parameters<typeof load>): string[] {
  const loaded = load(...args);
  return loaded.kind === 'ok' ? [] : loaded.problems.map(({ path, message }) => `${path}: ${message}`);
}

describe('the webhook', () => {
  it('takes its key from the variable that is named, and has a format', () => {
    const loaded = load();
    if (loaded.kind !== 'ok') throw new Error('bad');
    expect(loaded.config.approvals.webhook).toEqual({
      ...{ url: 'https://hook.example/x', secret_env: 'HOOK_KEY', format: 'uar', secret },
    });
  });

  it.each([
    [{ env: {} }, 'HOOK_KEY is not set'],
    [{ env: { HOOK_KEY: '' } }, 'HOOK_KEY is not set'],
    [{ env: { HOOK_KEY: 'a'.repeat(31) } }, 'HOOK_KEY holds fewer than 32 bytes'],
  ])('is refused with %o', (more, message) => {
    expect(problems({}, more)).toEqual([`approvals.webhook.secret_env: ${message}`]);
  });

  it('needs its key where everything is checked and in the approval-service, not in the others', () => {
    expect(problems({}, { env: {}, service: 'gateway' })).toEqual([]);
    const whole = { ...{ cwd, file: null, generate: false, whole: true, env: {} } };
    const loaded = loadConfig({
      ...whole,
      overrides: { approvals: { webhook: { url: 'https://hook.example', secret_env: 'HOOK_KEY' } } },
    });
    expect(loaded.kind).toBe('bad');
  });

  it.each([
    ['ftp://hook.example/x', 'is neither http nor https'],
    ['https://ann:secret@hook.example/x', 'may hold no user name and no password'],
  ])('does not go to %s', (url, message) => {
    expect(problems({ url })).toEqual([`approvals.webhook.url: ${message}`]);
  });

  it('names a variable, and nothing else', () => {
    expect(problems({ secret_env: 'the key itself' }).join()).toContain(
      'approvals.webhook.secret_env: is no name of a variable',
    );
  });

  it('is printed without its key and without the path, which may be one', () => {
    const loaded = load({ url: 'https://hooks.slack.example/services/T0/B0/planted-path' });
    if (loaded.kind !== 'ok') throw new Error('bad');
    const printed = printConfig(loaded.config);
    expect(printed).not.toContain('planted');
    expect(printed).toContain('url: https://hooks.slack.example/***');
    expect(printed).not.toMatch(/^ *secret:/m);
  });
});
