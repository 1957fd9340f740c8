const shortest = 4;
const longestMessage = 500;

/** A message without the given secrets (those of at least 4 characters) and without control characters, cut to 500. */
export function scrub(text: string, secrets: readonly string[]): string {
  const oneLine = replaceSecrets(text, secrets)
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return oneLine.length <= longestMessage ? oneLine : `${oneLine.slice(0, longestMessage)}...`;
}

/** In whatever form they are spelled; longer ones first, so that one that contains another leaves nothing of itself. */
export function replaceSecrets(text: string, secrets: readonly string[]): string {
  const spelled = new Set(secrets.filter((secret) => secret.length >= shortest).flatMap(spellings));
  let clean = text;
  for (const secret of [...spelled].toSorted((a, b) => b.length - a.length))
    clean = clean.replaceAll(secret, '***');
  return clean;
}

/** The secret, what the usual JSON writers make of it in a string, and that in a string of JSON once more. */
function spellings(secret: string): string[] {
  const once = escapedForms(secret);
  return [secret, ...once, ...once.flatMap(escapedForms)];
}

function escapedForms(value: string): string[] {
  const escaped = JSON.stringify(value).slice(1, -1);
  const forms = [escaped, asciiOnly(escaped, 'lower'), asciiOnly(escaped, 'upper')];
  return [...new Set([...forms, ...forms.map((form) => form.replaceAll('/', String.raw`\/`))])];
}

function asciiOnly(text: string, digits: 'lower' | 'upper'): string {
  return text.replaceAll(/[^\x20-\x7e]/g, (unit) => {
    const code = unit.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${digits === 'lower' ? code : code.toUpperCase()}`;
  });
}
