export interface Bomb {
  readonly name: string;
  readonly text: string;
  /** The verdict, or the cause of the denial. */
  readonly ends: 'args_rejected' | 'require_approval' | 'allow';
}

const many = (count: number, member: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => member(index)).join();
const object = (count: number, value: (index: number) => string): string =>
  `{${many(count, (index) => `"k${index}":${value(index)}`)}}`;
const nested = (open: string, close: string, depth: number): string =>
  `{"a":${open.repeat(depth)}1${close.repeat(depth)}}`;

/** Argument texts at and beyond every bound (GOVERNANCE.md 3), and some that only look harmless. */
export const bombs: readonly Bomb[] = [
  { name: '15 objects deep', text: nested('{"a":', '}', 14), ends: 'allow' },
  { name: '17 objects deep', text: nested('{"a":', '}', 17), ends: 'args_rejected' },
  { name: '126 arrays deep', text: nested('[', ']', 126), ends: 'args_rejected' },
  { name: '100,000 arrays deep', text: nested('[', ']', 100_000), ends: 'args_rejected' },
  { name: '500 keys', text: object(500, () => '1'), ends: 'allow' },
  { name: '600 keys', text: object(600, () => '1'), ends: 'require_approval' },
  { name: '1,990 keys', text: object(1_990, () => '"x"'), ends: 'require_approval' },
  { name: '2,100 keys', text: object(2_100, () => '1'), ends: 'args_rejected' },
  { name: '50,000 keys', text: object(50_000, () => '1'), ends: 'args_rejected' },
  { name: '1,900 numbers in one array', text: `{"a":[${many(1_900, String)}]}`, ends: 'require_approval' },
  {
    name: '200,000 arrays in one array',
    text: `{"a":[${many(200_000, () => '[0]')}]}`,
    ends: 'args_rejected',
  },
  { name: 'a string of 8 KB', text: JSON.stringify({ a: 'x'.repeat(8_000) }), ends: 'allow' },
  { name: 'a string of 64 KB', text: JSON.stringify({ a: 'x'.repeat(65_536) }), ends: 'require_approval' },
  { name: 'a string of 1 MB', text: JSON.stringify({ a: 'x'.repeat(1_000_000) }), ends: 'require_approval' },
  {
    name: 'sixteen strings of 8 KB',
    text: object(16, () => `"${'x'.repeat(8_000)}"`),
    ends: 'require_approval',
  },
  { name: 'a name of 64 KB', text: JSON.stringify({ ['k'.repeat(65_536)]: 1 }), ends: 'require_approval' },
  { name: 'a lone surrogate in a string', text: '{"a":"\\ud800"}', ends: 'require_approval' },
  { name: 'a lone surrogate in a name', text: '{"\\udfff":1}', ends: 'require_approval' },
  { name: '500 lone surrogates', text: object(500, () => '"\\ud800x"'), ends: 'require_approval' },
  { name: 'an integer beyond 2^53', text: '{"a":9007199254740993}', ends: 'require_approval' },
  { name: 'an integer beyond 2^63', text: '{"a":9223372036854775808}', ends: 'require_approval' },
  { name: 'an integer of 5,000 digits', text: `{"a":${'9'.repeat(5_000)}}`, ends: 'require_approval' },
  { name: 'an exponent of a million', text: '{"a":1e1000000}', ends: 'require_approval' },
  { name: 'five decimals', text: '{"a":0.00001}', ends: 'require_approval' },
  {
    name: '500 pointers of 100 steps',
    text: object(500, (index) => `{"${'/~*'.repeat(33)}${index}":1}`),
    ends: 'require_approval',
  },
  {
    name: 'an entity that is spelled',
    text: '{"a":{"__entity":{"type":"UAR::User","id":"a/u"}}}',
    ends: 'allow',
  },
  { name: 'an extension that is spelled', text: '{"a":{"__extn":{"fn":"ip","arg":"x"}}}', ends: 'allow' },
  {
    name: 'a name of Object.prototype',
    text: '{"__proto__":{"lossless":true},"constructor":1}',
    ends: 'allow',
  },
  { name: 'the same member twice', text: '{"a":1,"a":2}', ends: 'args_rejected' },
  { name: 'no object', text: '[]', ends: 'args_rejected' },
  { name: 'no JSON', text: '{"a":', ends: 'args_rejected' },
];
