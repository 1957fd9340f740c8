import { LRUCache } from 'lru-cache';
import type { Checked } from '../../domain/call/ports.js';
import { compileSchema, type Validator } from './compile-schema.js';

/** Arguments to check against the input schema of one definition. */
export interface SchemaCheck {
  readonly digest: string;
  /** Absent where the definition has none. */
  readonly schemaText: string | undefined;
  readonly argumentsJson: string;
}

const mostCompiled = 1_000;

/** Input schemas, compiled once per definition, on the thread that asks. */
export class CompiledSchemas {
  private readonly compiled = new LRUCache<string, Validator>({ max: mostCompiled });

  check({ digest, schemaText, argumentsJson }: SchemaCheck): Checked {
    const known = this.compiled.get(digest);
    const validator = known ?? compileSchema(schemaText);
    if (known === undefined) this.compiled.set(digest, validator);
    return validator(JSON.parse(argumentsJson));
  }
}
