import { FixtureFacts } from '../../domain/cases/case-file.js';
import type { ToolSchema } from '../../domain/policy/lint/tool-schema.js';

const facts = (server: string, raw_name: string, more: object = {}) =>
  FixtureFacts.parse({
    ...{ tenant: 'acme', server, raw_name, source: 'mcp', family: 'mcp', capabilities: ['read'], risk: 0 },
    ...{ read_only: true, destructive: false, idempotent: true, open_world: false, hints_trusted: true },
    ...{ enabled: true, pinned: true, quorum: 1, labels: [], secret_pointers: [] },
    extractors: { paths: [], hosts: [], recipients: [] },
    definition_digest: `sha256:${'0'.repeat(64)}`,
    ...more,
  });

const text = { type: 'string' };
const read = {
  type: 'object',
  properties: {
    path: text,
    depth: { type: 'integer' },
    opts: {
      type: 'object',
      properties: { mode: { enum: ['fast', 'slow'] }, recursive: { type: 'boolean' } },
    },
    items: { type: 'array', items: { type: 'object', properties: { id: text } } },
  },
  additionalProperties: false,
};
const transfer = {
  type: 'object',
  properties: {
    iban: text,
    amount: { type: 'number' },
    limits: { type: 'array', items: { type: 'number' } },
    owner: { $ref: '#/$defs/person' },
  },
  $defs: {
    person: { type: 'object', properties: { name: text, address: { $ref: '#/$defs/address' } } },
    address: { type: 'object', properties: { city: text } },
  },
};

/** Tools of a tenant: closed schemas but for the last one. */
export const someTools: readonly ToolSchema[] = [
  { facts: facts('fs', 'read'), inputSchema: read },
  { facts: facts('fs', 'write'), inputSchema: { allOf: [read], properties: { content: text } } },
  { facts: facts('pay', 'transfer', { labels: ['finance'] }), inputSchema: transfer },
  {
    facts: facts('native', 'file_read', { source: 'native', family: 'native.file' }),
    inputSchema: { type: 'object', properties: { path: text }, additionalProperties: false },
  },
  { facts: facts('web', 'get'), inputSchema: { type: 'object', additionalProperties: true } },
];
