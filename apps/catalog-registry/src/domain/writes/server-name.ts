import { ServerName } from '@uar/contracts';

const reservedNames: ReadonlySet<string> = new Set(['native', 'uar-runtime', 'uar-memory']);

export type NameProblem = {
  readonly kind: 'name_reserved' | 'name_taken' | 'bad_name';
  readonly message: string;
};

const longest = 32;
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Whether a server may have this name, in the order of API.md 3: reserved or taken by a name that differs in case or
 * punctuation alone, then the pattern. The very same name is not taken: PUT replaces.
 */
export function nameProblem(name: string, existing: Iterable<string>): NameProblem | undefined {
  const folded = foldName(name);
  if (reservedNames.has(folded)) return { kind: 'name_reserved', message: `the name ${folded} is reserved` };
  for (const other of existing) {
    if (other !== name && foldName(other) === folded)
      return { kind: 'name_taken', message: `a server named ${other} exists` };
  }
  if (ServerName.safeParse(name).success) return undefined;
  return {
    kind: 'bad_name',
    message: `a server name is 1 to 32 of a-z, 0-9 and -, and does not start with -; try ${suggestion(folded)}`,
  };
}

/** One form for all names that a reader would take for the same. */
function foldName(name: string): string {
  const plain = name.normalize('NFKC').replace(invisible, '').toLowerCase();
  return plain.replace(/[^a-z0-9-]+/gu, '-').replace(/^-+|-+$/g, '');
}

function suggestion(folded: string): string {
  const cut = folded.slice(0, longest).replace(/-+$/, '');
  return cut === '' ? 'server' : cut;
}
