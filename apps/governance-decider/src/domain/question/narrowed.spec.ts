import { describe, expect, it } from 'vitest';
import type { CedarQuestion } from '../cedar/cedar.js';
import type { Slice } from '../policy/slices.js';
import { narrowed } from './narrowed.js';

const user = {
  uid: { type: 'UAR::User', id: 'a/b' },
  attrs: {},
  parents: [],
  tags: { '/a': 'claim' },
} as const;
const question: CedarQuestion = {
  ...{ action: 'callTool', principal: user.uid, resource: { type: 'UAR::Tool', id: 'a/b/c' } },
  context: { env: {}, args: { paths: ['/a', '/b', '/c'], nulls: ['/n'], lossless: true } },
  entities: [
    user,
    { uid: { type: 'UAR::ArgStr', id: 'args' }, attrs: {}, parents: [], tags: { '/a': 'x', '/b': 'y' } },
    { uid: { type: 'UAR::ArgLong', id: 'args' }, attrs: {}, parents: [], tags: { '/c': 1 } },
  ],
};

const slice: Slice = {
  ...{ action: 'callTool', part: 'whole', isSteady: false, policies: [], attributes: [], wholes: [] },
  ...{ readsTags: true, members: {}, named: [], anyAncestor: false },
};
const narrow = (change: Partial<Slice>) => narrowed(question, { ...slice, tags: [], ...change });

const bags = ({ entities }: CedarQuestion) => entities.slice(1).map(({ uid, tags }) => [uid.type, tags]);
const args = ({ context }: CedarQuestion) => context['args'];

describe('a question narrowed to what policies read', () => {
  it('holds the arguments that they name, and what is said of the principal', () => {
    const found = narrow({ tags: ['/b', '/c', '/elsewhere'] });
    expect(bags(found)).toEqual([
      ['UAR::ArgStr', { '/b': 'y' }],
      ['UAR::ArgLong', { '/c': 1 }],
    ]);
    expect(found.entities[0]).toEqual(user);
    expect(bags(narrow({ tags: [] }))).toEqual([]);
  });

  it('holds all arguments where a name is not spelled out', () => {
    const whole = narrowed(question, { ...slice, part: 'momentary', attributes: ['paths', 'nulls'] });
    expect(whole).toEqual({ ...question, part: 'momentary' });
  });

  it('holds the members of a set that are asked for, and all where it is used otherwise', () => {
    const all = args(question) as object;
    const asked = { attributes: ['args', 'paths'], members: { paths: ['/b', '/elsewhere'] } };
    expect(args(narrow(asked))).toEqual({ ...all, paths: ['/b'], nulls: [] });
    expect(args(narrow({ attributes: ['args', 'paths'] }))).toEqual({ ...all, nulls: [] });
    for (const whole of ['*', 'args']) expect(args(narrow({ wholes: [whole] }))).toEqual(all);
  });
});
