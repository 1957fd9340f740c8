import type { CatalogEntry } from '@uar/contracts';
import { memberText } from '@uar/json-text';
import { LRUCache } from 'lru-cache';
import type { Checked, Schemas } from '../../domain/call/ports.js';
import { compileSchema, type Validator } from './compile-schema.js';

const mostCompiled = 1_000;

/** Input schemas, compiled once per definition. */
export class ArgumentSchemas implements Schemas {
  private readonly compiled = new LRUCache<string, Validator>({ max: mostCompiled });

  check(entry: CatalogEntry, argumentsJson: string): Checked {
    return this.validatorOf(entry)(JSON.parse(argumentsJson));
  }

  private validatorOf({ facts, definition_json }: CatalogEntry): Validator {
    const known = this.compiled.get(facts.definition_digest);
    if (known !== undefined) return known;
    const made = compileSchema(memberText(definition_json, 'inputSchema'));
    this.compiled.set(facts.definition_digest, made);
    return made;
  }
}
