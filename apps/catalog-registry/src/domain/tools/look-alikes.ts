const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Letters of other scripts that are drawn like Latin ones (after Unicode TR 39; the ones fonts do not tell apart). */
const twins: Readonly<Record<string, string>> = Object.fromEntries([
  ['а', 'a'],
  ['в', 'b'],
  ['с', 'c'],
  ['ԁ', 'd'],
  ['е', 'e'],
  ['ё', 'e'],
  ['ғ', 'f'],
  ['һ', 'h'],
  ['н', 'h'],
  ['і', 'i'],
  ['ї', 'i'],
  ['ј', 'j'],
  ['к', 'k'],
  ['ӏ', 'l'],
  ['м', 'm'],
  ['п', 'n'],
  ['о', 'o'],
  ['р', 'p'],
  ['ԛ', 'q'],
  ['г', 'r'],
  ['ѕ', 's'],
  ['т', 't'],
  ['ц', 'u'],
  ['ѵ', 'v'],
  ['ѡ', 'w'],
  ['ԝ', 'w'],
  ['х', 'x'],
  ['у', 'y'],
  ['α', 'a'],
  ['β', 'b'],
  ['ϲ', 'c'],
  ['ε', 'e'],
  ['η', 'n'],
  ['ι', 'i'],
  ['κ', 'k'],
  ['μ', 'u'],
  ['ν', 'v'],
  ['ο', 'o'],
  ['ρ', 'p'],
  ['τ', 't'],
  ['υ', 'u'],
  ['χ', 'x'],
  ['γ', 'y'],
  ['ζ', 'z'],
  ['ı', 'i'],
  ['ɡ', 'g'],
  ['ɑ', 'a'],
  ['օ', 'o'],
  ['ո', 'n'],
  ['ս', 'u'],
]);

/**
 * The raw names that a reader would take for another one of the list: not plain ASCII, and drawn like it. Of such a
 * pair only the name that is not plain is told, so that a twin cannot take an honest tool out of service.
 */
export function lookAlikes(rawNames: readonly string[]): ReadonlySet<string> {
  const drawn = new Map<string, string[]>();
  for (const name of rawNames) {
    const form = skeleton(name);
    drawn.set(form, [...(drawn.get(form) ?? []), name]);
  }
  const crowded = [...drawn.values()].filter((names) => names.length > 1).flat();
  return new Set(crowded.filter((name) => !/^[\x20-\x7e]*$/.test(name)));
}

function skeleton(name: string): string {
  const folded = name.normalize('NFKC').replace(invisible, '').toLowerCase();
  return [...folded].map((letter) => twins[letter] ?? letter).join('');
}
