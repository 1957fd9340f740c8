import type { QuestionBatch, CedarQuestion, RawAnswer } from '../../../domain/cedar/cedar.js';
import type { Inspection } from '../../../domain/policy/laboratory.js';
import type { Slice } from '../../../domain/policy/slices.js';

/** What the main thread says to a worker; one reply each, in order. */
export type WorkerTask =
  | ({ readonly op: 'ask' } & QuestionBatch)
  | {
      readonly op: 'install';
      readonly version: string;
      readonly schemaName: string;
      readonly schema: string;
      readonly policies: Readonly<Record<string, string>>;
      readonly warmUp: readonly CedarQuestion[];
      readonly slices: readonly Slice[];
    }
  | { readonly op: 'retire'; readonly versions: readonly string[] }
  | {
      readonly op: 'inspect';
      readonly schema: string;
      readonly policies: Readonly<Record<string, string>>;
    };

export interface WorkerReply {
  readonly result: WorkerResult;
  /** Calls into the instance that threw so far: each leaks some of its stack. */
  readonly throws: number;
  readonly memoryBytes: number;
}

export type WorkerResult =
  | { readonly kind: 'answers'; readonly answers: readonly RawAnswer[] }
  | { readonly kind: 'inspected'; readonly inspection: Inspection }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly message: string };

export interface WorkerStart {
  readonly module: WebAssembly.Module;
}
