import type { CatalogEntry } from '@uar/contracts';
import { memberText } from '@uar/json-text';
import { LRUCache } from 'lru-cache';
import type { Checked, Schemas, Unavailable } from '../../domain/call/ports.js';
import { weightOf } from './compile-schema.js';
import { CompiledSchemas } from './compiled-schemas.js';
import { SchemaThread } from './schema-thread.js';

/** Schemas within a schema that are compiled where calls are served: some 20 ms, which nobody notices (CASES.md O2). */
const mostWeightHere = 40;
const mostKnown = 1_000;

interface Known {
  readonly schemaText: string | undefined;
  readonly isHeavy: boolean;
}

/** Checks arguments against input schemas, heavy ones on a thread of their own. */
export class ArgumentSchemas implements Schemas {
  private readonly known = new LRUCache<string, Known>({ max: mostKnown });
  private readonly here = new CompiledSchemas();
  private readonly thread = new SchemaThread();

  check(entry: CatalogEntry, argumentsJson: string): Checked | Promise<Checked | Unavailable> {
    const { schemaText, isHeavy } = this.knownOf(entry);
    const task = { digest: entry.facts.definition_digest, schemaText, argumentsJson };
    return isHeavy ? this.thread.check(task) : this.here.check(task);
  }

  async stop(): Promise<void> {
    await this.thread.stop();
  }

  private knownOf({ facts, definition_json }: CatalogEntry): Known {
    const known = this.known.get(facts.definition_digest);
    if (known !== undefined) return known;
    const schemaText = memberText(definition_json, 'inputSchema');
    const found = { schemaText, isHeavy: weightOf(schemaText) > mostWeightHere };
    this.known.set(facts.definition_digest, found);
    return found;
  }
}
