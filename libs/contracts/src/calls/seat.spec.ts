import { expect, it } from 'vitest';
import { isAtLeast, LogLevel } from './seat.js';

it('orders levels by their severity in RFC 5424, section 6.2.1', () => {
  const rising = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
  const below = (level: LogLevel) => LogLevel.options.filter((least) => isAtLeast(level, least));
  expect(below('debug')).toEqual(['debug']);
  expect(below('warning')).toEqual(rising.slice(0, 4));
  expect(below('emergency')).toEqual(rising);
});
