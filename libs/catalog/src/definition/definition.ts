import { TaskSupport, type Digest } from '@uar/contracts';
import { textDigest } from '@uar/json-text';
import canonicalize from 'canonicalize';
import { measure } from './measure.js';

/** What the catalog reads of an MCP tool object; everything else in its text passes through untouched. */
export interface Definition {
  readonly name: string;
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
  /** `execution.taskSupport` (MCP 2025-11-25); absent where calls are not to become tasks. */
  readonly taskSupport?: TaskSupport;
}

export type ReadDefinition =
  | { readonly kind: 'definition'; readonly definition: Definition }
  /** Not a JSON object with a name: no tool can be made of it. */
  | { readonly kind: 'unreadable' };

const digested = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;
/** Deeper values are not canonicalised, which would recurse; such definitions are flagged long before. */
const deepestCanonical = 200;

/** Reads the text of an MCP tool object. */
export function readDefinition(text: string): ReadDefinition {
  const members = membersOf(text);
  const name = members?.['name'];
  if (members === undefined || typeof name !== 'string' || name === '') return { kind: 'unreadable' };
  const { annotations, inputSchema, outputSchema, execution } = members;
  const support = TaskSupport.safeParse(isObject(execution) ? execution['taskSupport'] : undefined);
  return {
    kind: 'definition',
    definition: {
      ...{ name, annotations: isObject(annotations) ? annotations : {}, inputSchema, outputSchema },
      ...(support.success && { taskSupport: support.data }),
    },
  };
}

/**
 * sha256 over the RFC 8785 form of a tool's name, title, description, schemas and annotations; absent members stay
 * absent. `definition` is the text of the MCP tool object or the parsed object. What has no canonical form (no JSON
 * object, nested too deeply) is digested by its text.
 */
export function definitionDigest(definition: string | Readonly<Record<string, unknown>>): Digest {
  if (typeof definition === 'string') return textDigest(canonicalOf(membersOf(definition)) ?? definition);
  const canonical = canonicalOf(definition);
  if (canonical === undefined) throw new RangeError('the definition is nested too deeply');
  return textDigest(canonical);
}

/** sha256 over the RFC 8785 form of a JSON value of ours (a configuration, not an upstream's metadata). */
export function canonicalDigest(value: unknown): Digest {
  return textDigest(canonicalize(value) ?? 'undefined');
}

function canonicalOf(members: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (members === undefined) return undefined;
  const chosen = digested.flatMap((key) => (Object.hasOwn(members, key) ? [[key, members[key]]] : []));
  const part: unknown = Object.fromEntries(chosen);
  return measure(part).depth > deepestCanonical ? undefined : canonicalize(part);
}

function membersOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
