import fc from 'fast-check';
import { ServerName } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { nameProblem } from './server-name.js';

describe('nameProblem', () => {
  it.each<[string, string[], string | undefined]>([
    ['time', [], undefined],
    ['time', ['time'], undefined],
    ['a-1', ['a1'], undefined],
    ['native', [], 'name_reserved'],
    ['NATIVE', [], 'name_reserved'],
    ['native.', [], 'name_reserved'],
    ['\uff4eative', [], 'name_reserved'],
    ['na\u200btive', [], 'name_reserved'],
    ['uar-runtime', [], 'name_reserved'],
    ['uar_memory', [], 'name_reserved'],
    ['TIME', ['time'], 'name_taken'],
    ['time.', ['time'], 'name_taken'],
    ['time-', ['time'], 'name_taken'],
    ['my_server', ['my-server'], 'name_taken'],
    ['my.server', ['time'], 'bad_name'],
    ['', [], 'bad_name'],
    ['-a', [], 'bad_name'],
    ['x'.repeat(33), [], 'bad_name'],
    ['constructor.prototype', [], 'bad_name'],
  ])('takes %j beside %j as %s', (name, existing, kind) => {
    expect(nameProblem(name, existing)?.kind).toBe(kind);
  });

  it('suggests a name that is valid', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (name) => {
        const problem = nameProblem(name, []);
        if (problem?.kind !== 'bad_name') return;
        const suggestion = problem.message.slice(problem.message.lastIndexOf(' ') + 1);
        expect(ServerName.safeParse(suggestion).success).toBe(true);
      }),
    );
  });
});
