import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endpointsFile, readEndpoints, removeEndpoints, writeEndpoints } from './endpoints-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'uar-endpoints-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const endpoints = {
  gateway: 'http://127.0.0.1:1',
  proxy: 'http://127.0.0.1:2',
  management: 'http://127.0.0.1:3',
  pid: 4,
};

describe('the endpoints file', () => {
  it('is read as it was written, belongs to its owner and leaves no draft behind', () => {
    writeEndpoints(folder, { ...endpoints, pid: 1 });
    writeEndpoints(folder, endpoints);
    expect(readEndpoints(folder)).toEqual(endpoints);
    expect(readdirSync(folder)).toEqual(['endpoints.json']);
    expect(statSync(endpointsFile(folder)).mode & 0o777).toBe(0o600);
  });

  it.each(['', '{', '[]', '{"gateway":"nonsense"}', JSON.stringify({ ...endpoints, more: 1 })])(
    'is as good as absent when it holds %j',
    (text) => {
      writeFileSync(endpointsFile(folder), text);
      expect(readEndpoints(folder)).toBeUndefined();
    },
  );

  it('is removed by the process that wrote it and by no other', () => {
    writeEndpoints(folder, endpoints);
    removeEndpoints(folder, 5);
    expect(readEndpoints(folder)).toEqual(endpoints);
    removeEndpoints(folder, 4);
    expect(readEndpoints(folder)).toBeUndefined();
  });
});
