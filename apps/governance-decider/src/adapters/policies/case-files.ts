import { LineCounter, isNode, parseDocument, type Document } from 'yaml';
import { CaseFile } from '../../domain/cases/case-file.js';

/** Reads one file of cases. Every case keeps its line, and what is wrong with the file has one: `cases/<file>:<line>`. */
export function parseCases(file: string, text: string): CaseFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const at = (offset: number) => `cases/${file}:${lines.linePos(offset).line}`;
  const [broken] = document.errors;
  if (broken !== undefined) throw new Error(`${at(broken.pos[0])}: ${firstLine(broken.message)}`);
  const read = CaseFile.safeParse(document.toJS());
  if (!read.success) {
    const [issue] = read.error.issues;
    const path = (issue?.path ?? []).filter((step) => typeof step !== 'symbol');
    throw new Error(`${at(offsetOf(document, path))}: ${path.join('.')} ${issue?.message ?? ''}`);
  }
  const cases = read.data.cases.map((row, index) => {
    const { line } = lines.linePos(offsetOf(document, ['cases', index]));
    return { ...row, line };
  });
  return { ...read.data, cases };
}

/** Where the value at a path starts, or the innermost one around it that is there. */
function offsetOf(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}
