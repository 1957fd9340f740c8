import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseBus } from './bus-choice.js';
import { findNatsServer } from './nats-binary.js';

let folder: string;
let binary: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'uar-nats-'));
  binary = join(folder, 'nats-server');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(file: string, mode = 0o755): void {
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, mode);
}

describe('the search for nats-server', () => {
  it('looks into PATH, then into the usual folders', () => {
    const usual = join(folder, 'usual');
    mkdirSync(usual);
    program(join(usual, 'nats-server'));
    expect(findNatsServer({ PATH: folder }, [usual])).toBe(join(usual, 'nats-server'));
    program(binary);
    expect(findNatsServer({ PATH: `:${folder}` }, [usual])).toBe(binary);
  });

  it('finds nothing where there is no file, a folder, or a file that nobody may run', () => {
    expect(findNatsServer({ PATH: folder }, [])).toBeUndefined();
    mkdirSync(binary);
    expect(findNatsServer({ PATH: folder }, [])).toBeUndefined();
    rmSync(binary, { recursive: true });
    program(binary, 0o644);
    expect(findNatsServer({ PATH: folder }, [])).toBeUndefined();
  });

  it('takes the named one and no other', () => {
    program(binary);
    const named = join(folder, 'other');
    expect(findNatsServer({ PATH: folder, UAR_NATS_SERVER: named }, [])).toBeUndefined();
    program(named);
    expect(findNatsServer({ PATH: folder, UAR_NATS_SERVER: named }, [])).toBe(named);
  });
});

describe('the choice of the bus', () => {
  const here = () => ({ PATH: folder, UAR_NATS_SERVER: binary });

  it('is the URL before a binary, and a binary before the in-process bus', () => {
    program(binary);
    expect(chooseBus({ ...here(), NATS_URL: 'nats://h:1' })).toEqual({ kind: 'url', url: 'nats://h:1' });
    expect(chooseBus(here())).toEqual({ kind: 'child', binary });
    expect(chooseBus({ ...here(), UAR_BUS: 'nats' })).toEqual({ kind: 'child', binary });
  });

  it('is in process when that is asked for, whatever else there is', () => {
    program(binary);
    expect(chooseBus({ ...here(), NATS_URL: 'nats://h:1', UAR_BUS: 'inprocess' })).toMatchObject({
      kind: 'inprocess',
    });
  });

  it('is refused for a wish that cannot be had', () => {
    expect(chooseBus({ UAR_BUS: 'kafka' })).toMatchObject({ kind: 'refused' });
    expect(chooseBus(here())).toMatchObject({ kind: 'refused' });
  });
});
