const longest = 1_000;
const atEnd = 200;
/** Characters shown around a difference inside of long texts. */
const around = 60;

/** A visible text, its middle left out and counted where it is long. */
export function cut(text: string, most = longest): string {
  if (text.length <= most) return text;
  const tail = Math.min(atEnd, Math.floor(most / 3));
  const left = text.length - most;
  return whole(
    `${text.slice(0, most - tail)} [... ${left} characters not shown ...] ${text.slice(text.length - tail)}`,
  );
}

/** Two visible texts that differ: where they are long, from just before the first difference to just behind the last. */
export function cutPair(old: string, next: string): { readonly old: string; readonly new: string } {
  if (old.length <= longest && next.length <= longest) return { old, new: next };
  const start = alikeAtStart(old, next);
  const end = alikeAtEnd(old, next, start);
  const from = Math.max(0, start - around);
  const behind = Math.max(0, end - around);
  return { old: middle(old, from, behind), new: middle(next, from, behind) };
}

function middle(text: string, from: number, behind: number): string {
  const before = from === 0 ? '' : `[... ${from} characters alike ...] `;
  const after = behind === 0 ? '' : ` [... ${behind} characters alike ...]`;
  return whole(before + cut(text.slice(from, text.length - behind)) + after);
}

function alikeAtStart(one: string, two: string): number {
  const most = Math.min(one.length, two.length);
  let count = 0;
  while (count < most && one.charCodeAt(count) === two.charCodeAt(count)) count += 1;
  return count;
}

function alikeAtEnd(one: string, two: string, start: number): number {
  const most = Math.min(one.length, two.length) - start;
  let count = 0;
  while (count < most && one.charCodeAt(one.length - 1 - count) === two.charCodeAt(two.length - 1 - count))
    count += 1;
  return count;
}

/** A cut may split a surrogate pair: its halves are written out. */
function whole(text: string): string {
  return text.replace(/\p{Cs}/gu, (half) => `\\u{${half.charCodeAt(0).toString(16)}}`);
}
