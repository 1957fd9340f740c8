import { createHash } from 'node:crypto';
import { ToolName } from '@uar/contracts';

const longest = 64;
const suffixDigits = 8;

/**
 * The name agents see (DESIGN.md 5): `server__tool`. A raw name that survives unchanged keeps the plain name; one that
 * had to change ends in `_` + 8 hex of the digest of (server, raw name). Depends on nothing but its arguments, so no
 * order of connection and no later arrival renames a tool. Two raw names of one server can still meet in one public
 * name: a raw name that looks like a changed one, or equal digests. Whoever lists them has to look for that.
 */
export function publicName(server: string, rawName: string): ToolName {
  const plain = `${server}__${rawName}`;
  const fitting = plain.replace(/[^A-Za-z0-9_-]/gu, '_');
  if (fitting === plain && plain.length <= longest) return ToolName.parse(plain);
  const kept = fitting.slice(0, longest - suffixDigits - 1);
  return ToolName.parse(`${kept}_${digestOf(server, rawName)}`);
}

function digestOf(server: string, rawName: string): string {
  const text = JSON.stringify([server, rawName]);
  return createHash('sha256').update(text).digest('hex').slice(0, suffixDigits);
}
