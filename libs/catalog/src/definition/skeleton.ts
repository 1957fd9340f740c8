const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Letters of other scripts that are drawn like Latin ones (after Unicode TR 39; the ones fonts do not tell apart). */
const twins: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'аa вb сc ԁd еe ёe ғf һh нh іi їi јj кk ӏl мm пn оo рp ԛq гr ѕs тt цu ѵv ѡw ԝw хx уy',
    'αa βb ϲc εe ηn ιi κk μu νv οo ρp τt υu χx γy ζz',
    'ıi ɡg ɑa օo ոn սu',
  ]
    .join(' ')
    .split(' ')
    .map((pair) => [...pair]),
);
const twinLetters = new RegExp(`[${Object.keys(twins).join('')}]`, 'gu');

/** One form for all texts that a reader would take for the same: case, width, invisible characters and look-alike letters fold. */
export function skeletonOf(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase();
  const folded = text.normalize('NFKC').replace(invisible, '').toLowerCase();
  return folded.replace(twinLetters, (letter) => twins[letter] ?? letter);
}
