import { expect, it } from 'vitest';
import { accepts } from './accept.js';

it.each([
  ['text/event-stream', true],
  ['application/json, text/event-stream', true],
  ['Text/Event-Stream;q=0.5 , application/json', true],
  ['text/*', true],
  ['*/*', true],
  [undefined, false],
  ['', false],
  ['application/json', false],
  ['text/event-stream;q=0', false],
  ['text/event-stream; q=0.000, */*;q=0', false],
  ['text/event-streams', false],
  ['xtext/event-stream', false],
])('of %j takes an event stream: %s', (accept, taken) => {
  expect(accepts(accept, 'text/event-stream')).toBe(taken);
});
