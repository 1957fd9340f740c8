import { findMember, memberText } from './skim.js';

/** The object text with that member replaced, or appended where there is none. Takes valid JSON. */
export function withMember(objectText: string, key: string, valueText: string): string {
  const member = findMember(objectText, 0, key);
  if (member !== undefined)
    return objectText.slice(0, member.start) + valueText + objectText.slice(member.end);
  const close = objectText.lastIndexOf('}');
  const inside = objectText.slice(0, Math.max(close, 0)).trim();
  if (!inside.startsWith('{')) throw new TypeError('not the text of a JSON object');
  const comma = inside === '{' ? '' : ',';
  return `${objectText.slice(0, close)}${comma}${JSON.stringify(key)}:${valueText}${objectText.slice(close)}`;
}

/** Sets `_meta.<key>` of an object text. A `_meta` that is absent, or no object, becomes an object with this one member. */
export function withMeta(resultText: string, key: string, valueText: string): string {
  const meta = memberText(resultText, '_meta');
  const base = meta?.startsWith('{') === true ? meta : '{}';
  return withMember(resultText, '_meta', withMember(base, key, valueText));
}
