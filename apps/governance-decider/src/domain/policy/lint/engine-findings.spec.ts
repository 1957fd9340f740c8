import { expect, it } from 'vitest';
import { problemOfFinding, withoutEchoes } from './engine-findings.js';

/** Cedar tells of a missing attribute once per type of resource, in no order that could be relied on. */
const about = (type: string, help?: string) => ({
  ...{ policy: 't/a', isWarning: false, start: 43, end: 60 },
  message: `for policy \`t/a\`, attribute \`readOnyl\` on entity type \`UAR::${type}\` not found`,
  ...(help === undefined ? {} : { help }),
});
const prompt = about('Prompt');
const resource = about('Resource', 'did you mean `name`?');
const tool = about('Tool', 'did you mean `readOnly`?');

it('says a mistake once, and of its echoes the one that knows what was meant', () => {
  for (const findings of [
    [prompt, resource, tool],
    [tool, prompt, resource],
    [resource, tool, prompt],
  ])
    expect(withoutEchoes(findings).map((finding) => problemOfFinding(finding, undefined))).toEqual([
      expect.objectContaining({ suggestion: 'readOnly' }),
    ]);
});

it('says the same of the same echoes, in whatever order they come', () => {
  const others = [prompt, about('Server'), about('Agent')];
  expect(withoutEchoes(others)).toEqual(withoutEchoes(others.toReversed()));
});
