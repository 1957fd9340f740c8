/**
 * What a policy's text may look like before any parser sees it. Deep nesting and long operator chains overflow the stack of
 * the engine's parser and leave that instance broken (FINDINGS: Cedar), so both are bounded far below that.
 */
const maxChars = 64 * 1024;
const maxNesting = 40;
const maxOperators = 300;
const maxBranches = 40;

export function textProblem(text: string): string | undefined {
  if (text.length > maxChars) return `longer than ${maxChars} characters`;
  const code = withoutStringsAndComments(text);
  if (deepestNesting(code) > maxNesting) return `nested deeper than ${maxNesting} levels`;
  if (count(code, /&&|\|\||[-+*.!<>]|==|\b(?:in|has|like|is)\b/g) > maxOperators)
    return `more than ${maxOperators} operators`;
  if (count(code, /\bif\b/g) > maxBranches) return `more than ${maxBranches} branches`;
  return undefined;
}

function withoutStringsAndComments(text: string): string {
  return text.replace(/"(?:[^"\\]|\\[\s\S])*"|\/\/[^\n]*/g, (found) => (found.startsWith('"') ? '""' : ''));
}

function deepestNesting(code: string): number {
  let depth = 0;
  let deepest = 0;
  for (const char of code) {
    if ('([{'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function count(code: string, pattern: RegExp): number {
  return code.match(pattern)?.length ?? 0;
}
