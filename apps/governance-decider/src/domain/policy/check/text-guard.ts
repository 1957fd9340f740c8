/**
 * What a policy's text may look like before any parser sees it. Deep nesting and long operator chains overflow the stack of
 * the engine's parser and leave that instance broken (FINDINGS: Cedar), so both are bounded far below that.
 */
const maxChars = 64 * 1024;
const maxNesting = 40;
const maxOperators = 300;
const maxBranches = 40;
const maxLiteralChars = 4_096;
const maxLiterals = 1_000;
const maxWildcards = 64;

export interface TextProblem {
  readonly message: string;
  /** Where in the text the bound was crossed, in UTF-16 units. */
  readonly index: number;
}

/** Control characters, and those that make a text look like another one. */
const hidden =
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/u;

export function textProblem(text: string): TextProblem | undefined {
  if (text.length > maxChars) return { message: `longer than ${maxChars} characters`, index: maxChars };
  const found = hidden.exec(text);
  if (found !== null) return { message: `holds the hidden character ${named(found[0])}`, index: found.index };
  return literalProblem(text) ?? codeProblem(blanked(text));
}

function named(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

const stringOrComment = /"(?:[^"\\]|\\[\s\S])*"|\/\/[^\n]*/g;

function literalProblem(text: string): TextProblem | undefined {
  let literals = 0;
  for (const { 0: found, index } of text.matchAll(stringOrComment)) {
    if (found.startsWith('//')) continue;
    literals += 1;
    if (literals > maxLiterals) return { message: `more than ${maxLiterals} literals`, index };
    if (found.length > maxLiteralChars + 2)
      return { message: `a literal longer than ${maxLiteralChars} characters`, index };
    const wildcards = found.match(/(?<!\\)\*/g)?.length ?? 0;
    if (wildcards > maxWildcards && /\blike\s*$/.test(text.slice(Math.max(0, index - 64), index)))
      return { message: `a pattern with more than ${maxWildcards} wildcards`, index };
  }
  return undefined;
}

function codeProblem(code: string): TextProblem | undefined {
  return (
    tooDeep(code) ??
    tooMany(code, /&&|\|\||[-+*.!<>]|==|\b(?:in|has|like|is)\b/g, {
      limit: maxOperators,
      what: 'operators',
    }) ??
    tooMany(code, /\bif\b/g, { limit: maxBranches, what: 'branches' })
  );
}

/** Strings and comments become blanks of the same length, so that what is found keeps its place. */
function blanked(text: string): string {
  return text.replace(stringOrComment, (found) => ' '.repeat(found.length));
}

function tooDeep(code: string): TextProblem | undefined {
  let depth = 0;
  for (let index = 0; index < code.length; index += 1) {
    const char = code.charAt(index);
    if ('([{'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) depth -= 1;
    if (depth > maxNesting) return { message: `nested deeper than ${maxNesting} levels`, index };
  }
  return undefined;
}

function tooMany(
  code: string,
  pattern: RegExp,
  { limit, what }: { readonly limit: number; readonly what: string },
): TextProblem | undefined {
  let count = 0;
  for (const { index } of code.matchAll(pattern)) {
    count += 1;
    if (count > limit) return { message: `more than ${limit} ${what}`, index };
  }
  return undefined;
}
