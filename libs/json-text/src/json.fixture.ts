import fc from 'fast-check';

/** JSON texts with white space, escapes, odd numbers and nesting, most of them valid. */
const space = fc.stringMatching(/^[ \t\n\r]{0,2}$/);
const stringToken = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }).map((value) => JSON.stringify(value)),
  fc.constantFrom('"\\u0061"', '"a"', '"\\/"', '"\\ud800"', '"\\\\"', '"\\""', '"__proto__"', '"{[,:]}"'),
);
const numberToken = fc.oneof(
  fc.constantFrom('0', '-0', '1e5', '1E+2', '0.10', '9007199254740993', '1e400', '-1.5e-7'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);

export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string; array: string; object: string }>(
  (tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('true', 'false', 'null'),
      numberToken,
      stringToken,
      tie('array'),
      tie('object'),
    ),
    array: fc
      .tuple(fc.array(fc.tuple(space, tie('value'), space), { maxLength: 4 }), space)
      .map(([items, gap]) =>
        items.length === 0 ? `[${gap}]` : `[${items.map((item) => item.join('')).join(',')}]`,
      ),
    object: fc
      .tuple(fc.array(fc.tuple(space, stringToken, space, tie('value'), space), { maxLength: 12 }), space)
      .map(([members, gap]) =>
        members.length === 0
          ? `{${gap}}`
          : `{${members.map(([a, name, b, value, c]) => `${a}${name}${b}:${b}${value}${c}`).join(',')}}`,
      ),
  }),
).value;

export const objectText = jsonText.filter((text) => text.startsWith('{'));

/** A text of which one character was dropped, doubled or replaced: mostly broken, near to valid. */
export const nearlyJson = fc
  .tuple(
    jsonText,
    fc.nat(),
    fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', '0', '-', '.', 'e', '\u0000', ' ', '\u00a0'),
  )
  .map(([text, position, insert]) => {
    const at = position % (text.length + 1);
    return text.slice(0, at) + insert + text.slice(at + (position % 2));
  });

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
