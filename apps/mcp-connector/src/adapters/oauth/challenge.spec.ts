import { expect, it } from 'vitest';
import { hintsOf } from './challenge.js';

it('reads the Bearer challenge, wherever it stands', () => {
  const read = (header?: string) => hintsOf({ 'www-authenticate': header });
  const bearer =
    'Bearer error="insufficient_scope", scope="a b", resource_metadata="https://h.example/.well-known/x"';
  const said = {
    error: 'insufficient_scope',
    scope: 'a b',
    resourceMetadata: 'https://h.example/.well-known/x',
  };
  expect(read(bearer)).toEqual(said);
  expect(read(`Basic realm="x", ${bearer}`)).toEqual(said);
  expect(read('bearer scope=a')).toEqual({ scope: 'a' });
  for (const nothing of [
    undefined,
    '',
    'Bearer',
    'Basic realm="Bearer"',
    'Bearer resource_metadata="no URL"',
  ])
    expect(read(nothing), nothing).toEqual({});
  expect(read(`Bearer scope="${'x'.repeat(9_000)}"`)).toEqual({});
});
