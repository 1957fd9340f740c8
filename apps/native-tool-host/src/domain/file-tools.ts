import type { NativeToolStatement } from '@uar/contracts';
import { z } from 'zod';
import type { Edit, Edited, FileChange, FileProblem, Files } from './files.js';
import { nativeTool, type NativeTool, type ToolEnd } from './native-tool.js';
import { isWritable, linesOf, replaceText, textOf } from './text-edits.js';

export interface FileToolsOptions {
  readonly files: Files;
  /** Largest file in bytes that is read, patched or appended to. */
  readonly maxFileBytes: number;
  /** Longest content in bytes that is written. */
  readonly maxWriteBytes: number;
}

const path = z.string().min(1).max(4096).describe('Absolute path of the file, without `..`.');

const readArguments = z.strictObject({
  path,
  offset_lines: z.int().min(0).max(1_000_000_000).optional().describe('Lines to leave out at the start.'),
  limit_lines: z.int().min(1).max(1_000_000_000).optional().describe('Most lines to give.'),
});

const writeArguments = z.strictObject({
  path,
  content: z.string().describe('Text to write.'),
  append: z.boolean().optional().describe('Add to the end instead of replacing the whole file.'),
});

const patchArguments = z.strictObject({
  path,
  old_string: z.string().min(1).describe('Exact text to replace; has to be in the file once.'),
  new_string: z.string().describe('Text to put in its place.'),
  allow_multiple: z.boolean().optional().describe('Replace every occurrence.'),
});

/** Time in milliseconds after which a file tool gives up: local files answer at once or not at all. */
const timeoutMs = 30_000;

function statement(
  facts: Pick<NativeToolStatement, 'risk' | 'read_only' | 'destructive' | 'idempotent'>,
): NativeToolStatement {
  return {
    family: 'native.file',
    capabilities: [facts.read_only ? 'read' : 'write'],
    ...facts,
    open_world: false,
    paths: ['/path'],
    timeout_ms: timeoutMs,
  };
}

/** The family `native.file`: text files inside the allowed folders. */
export function fileTools(options: FileToolsOptions): readonly NativeTool[] {
  return [readTool(options), writeTool(options), patchTool(options)];
}

function readTool({ files }: FileToolsOptions): NativeTool {
  return nativeTool({
    name: 'file_read',
    title: 'Read a text file',
    description: 'Reads a UTF-8 text file, whole or some of its lines.',
    schema: readArguments,
    statement: statement({ risk: 1, read_only: true, destructive: false, idempotent: true }),
    async call(args, signal) {
      const read = await files.read(args.path, signal);
      if (read.kind === 'problem') return failed(textOfProblem(read.problem));
      const text = textOf(read.bytes);
      if (text === undefined) return failed('The file is not UTF-8 text.');
      const lines = linesOf(text, args.offset_lines ?? 0, args.limit_lines);
      if (lines.part === undefined) return said(lines.text);
      const { first, last, total } = lines.part;
      const range = last < first ? 'no lines' : `lines ${String(first)} to ${String(last)}`;
      return { kind: 'said', texts: [lines.text, `(${range} of ${String(total)})`] };
    },
  });
}

function writeTool({ files, maxFileBytes, maxWriteBytes }: FileToolsOptions): NativeTool {
  return nativeTool({
    name: 'file_write',
    title: 'Write a text file',
    description:
      'Writes a text file: makes it, replaces its content, or adds to its end. Its folder has to exist.',
    schema: writeArguments,
    statement: statement({ risk: 2, read_only: false, destructive: true, idempotent: false }),
    async call(args, signal) {
      const bytes = Buffer.from(args.content);
      if (bytes.length > maxWriteBytes)
        return failed(`The content is larger than ${String(maxWriteBytes)} bytes.`);
      if (!isWritable(args.content)) return failed('The content is not well-formed Unicode.');
      const edit = args.append === true ? appending(bytes, maxFileBytes) : replacing(bytes);
      return endOf(await files.change(args.path, edit, signal));
    },
  });
}

function patchTool({ files, maxFileBytes }: FileToolsOptions): NativeTool {
  return nativeTool({
    name: 'file_patch',
    title: 'Patch a text file',
    description: 'Replaces an exact piece of text in a UTF-8 text file.',
    schema: patchArguments,
    statement: statement({ risk: 2, read_only: false, destructive: true, idempotent: false }),
    async call(args, signal) {
      if (!isWritable(args.new_string)) return failed('new_string is not well-formed Unicode.');
      if (args.old_string === args.new_string) return failed('old_string and new_string are the same.');
      const edit: Edit = {
        readsCurrent: true,
        make(current) {
          if (current === undefined) return { kind: 'keep', reason: textOfProblem('not_found') };
          const text = textOf(current);
          if (text === undefined) return { kind: 'keep', reason: 'The file is not UTF-8 text.' };
          const substitution = {
            was: args.old_string,
            becomes: args.new_string,
            all: args.allow_multiple === true,
          };
          return withinLimit(replaceText(text, substitution), maxFileBytes);
        },
      };
      return endOf(await files.change(args.path, edit, signal));
    },
  });
}

function replacing(bytes: Uint8Array): Edit {
  return { readsCurrent: false, make: () => ({ kind: 'replace', bytes }) };
}

function appending(bytes: Uint8Array, maxFileBytes: number): Edit {
  return {
    readsCurrent: true,
    make: (current) =>
      current === undefined
        ? { kind: 'replace', bytes }
        : withinLimit({ kind: 'replace', bytes: Buffer.concat([current, bytes]) }, maxFileBytes),
  };
}

function withinLimit(edited: Edited, maxFileBytes: number): Edited {
  if (edited.kind === 'keep' || edited.bytes.length <= maxFileBytes) return edited;
  return { kind: 'keep', reason: `The file would be larger than ${String(maxFileBytes)} bytes.` };
}

function endOf(change: FileChange): ToolEnd {
  switch (change.kind) {
    case 'changed':
      return said(`Wrote ${String(change.bytes)} bytes.`);
    case 'kept':
      return failed(change.reason);
    case 'problem':
      return failed(textOfProblem(change.problem));
  }
}

function textOfProblem(problem: FileProblem): string {
  switch (problem) {
    case 'not_allowed':
      return 'The path is not inside a folder that file tools may touch.';
    case 'not_found':
      return 'There is no such file or folder.';
    case 'not_plain':
      return 'Not a regular file with one name: folders, links, pipes and devices are refused.';
    case 'too_large':
      return 'The file is larger than file tools may read.';
    case 'not_permitted':
      return 'The operating system does not permit it.';
    case 'contended':
      return 'Others keep changing the file; nothing was written.';
    case 'no_space':
      return 'No space is left; nothing was written.';
  }
}

function said(text: string): ToolEnd {
  return { kind: 'said', texts: [text] };
}

function failed(text: string): ToolEnd {
  return { kind: 'failed', text };
}
