import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCases } from './case-files.js';
import { shippedFolder } from '../cedar/questions.fixture.js';

const row = `{ case: one, question: { ask: list, principal: ann }, sees: [] }`;

describe('a file of cases', () => {
  it.each(['acme.yaml', 'platform.yaml', 'starter.yaml'])('keeps the line of every case: %s', (file) => {
    const text = readFileSync(join(shippedFolder, 'cases', file), 'utf8');
    const lines = text.split('\n');
    const starts = lines.flatMap((line, index) => (line.startsWith('  - {') ? [index + 1] : []));
    expect(parseCases(file, text).cases.map(({ line }) => line)).toEqual(starts);
  });

  it.each([
    ['that is no YAML', `set: platform\ncases:\n  - { case: one\n`, /^cases\/x\.yaml:\d+: /],
    [
      'with a member that is not known',
      `set: platform\ncases:\n  - ${row}\n  - ${row.replace('sees', 'see')}\n`,
      /^cases\/x\.yaml:4: cases\.1 /,
    ],
    [
      'with a wrong value',
      `set: platform\nchannel: mail\ncases:\n  - ${row}\n`,
      /^cases\/x\.yaml:2: channel /,
    ],
    ['without cases', `set: platform\n`, /^cases\/x\.yaml:1: cases /],
    [
      'that writes lines itself',
      `set: platform\ncases:\n  - ${row.replace('{', '{ line: 1,')}\n`,
      /x\.yaml:3: /,
    ],
  ])('%s is refused with the line', (_what, text, says) => {
    expect(() => parseCases('x.yaml', text)).toThrow(says);
  });
});
