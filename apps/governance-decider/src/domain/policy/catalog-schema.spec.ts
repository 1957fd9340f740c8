import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { someTools } from '../../adapters/catalog/some-tools.fixture.js';
import { fillBags } from '../facts/bags.js';
import { readLeaves } from '../facts/leaves.js';
import { catalogSchema } from './catalog-schema.js';
import { PolicyText } from './lint/policy-text.js';
import type { ToolSchema } from './lint/tool-schema.js';

const [closed, , transfer, , open] = someTools as [
  ToolSchema,
  ToolSchema,
  ToolSchema,
  ToolSchema,
  ToolSchema,
];

const places = (tool: ToolSchema) =>
  catalogSchema([tool]).tools[0]?.arguments.map(({ bag, pointer, type }) => `${bag} ${pointer} ${type}`);

describe('the catalog as a policy\u2019s author reads it', () => {
  it('says of each tool where it stands, whether its schema is closed, and where each argument is found', () => {
    expect(catalogSchema([closed]).tools).toMatchObject([{ tool: 'acme/fs/read', schema: 'closed' }]);
    expect(catalogSchema([open]).tools).toMatchObject([{ schema: 'open', arguments: [] }]);
    expect(catalogSchema([transfer]).tools[0]?.within).toContainEqual({ type: 'UAR::Label', id: 'finance' });
    expect(places(closed)).toEqual([
      'context.args.s /path string',
      'context.args.n /depth number',
      'context.args.d /depth number',
      'context.args.s /opts/mode string',
      'context.args.b /opts/recursive boolean',
      'context.args.l /items/*/id string',
    ]);
    expect(places(transfer)).toContain('context.args.l /limits/*:number number');
    expect(places(transfer)).toContain('context.args.s /owner/address/city string');
  });

  it('shows every place that the bags of arguments have', () => {
    const value = {
      path: fc.string(),
      depth: fc.integer(),
      opts: fc.record(
        { mode: fc.constantFrom('fast', 'slow'), recursive: fc.boolean() },
        { requiredKeys: [] },
      ),
      items: fc.array(fc.record({ id: fc.string() }, { requiredKeys: [] })),
    };
    const shown = new Set(places(closed)?.map((place) => place.split(' ').slice(0, 2).join(' ')));
    fc.assert(
      fc.property(fc.record(value, { requiredKeys: [] }), (given) => {
        const read = readLeaves(JSON.stringify(given));
        const { s, n, d, b, l } = fillBags(read.kind === 'read' ? read.leaves : []);
        for (const [bag, tags] of Object.entries({ s, n, d, b, l }))
          for (const pointer of Object.keys(tags)) expect(shown).toContain(`context.args.${bag} ${pointer}`);
      }),
    );
  });

  it('is comments alone, whatever tools and arguments are called, and its literals can be copied', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1 }),
        fc.string({ unit: 'binary' }),
        (name, argument) => {
          const facts = { ...closed.facts, raw_name: name };
          const tool = { facts, inputSchema: { properties: { [argument]: { type: 'string' } } } };
          const { text, tools } = catalogSchema([tool]);
          for (const line of text.split(/[\n\r\u0085\u2028\u2029]/)) expect(line).toMatch(/^\/\//);
          const copied = new PolicyText(text.replaceAll('// ', '').replaceAll('//', ''));
          expect(copied.entity('UAR::Tool', tools[0]?.tool ?? '')).toBeDefined();
          expect(copied.literal(tools[0]?.arguments[0]?.pointer ?? '')).toBeDefined();
        },
      ),
    );
  });

  it('says how many tools it leaves out', () => {
    const many = Array.from({ length: 900 }, () => closed);
    const { tools, left_out, text } = catalogSchema(many);
    expect(tools.length + left_out).toBe(900);
    expect(left_out).toBeGreaterThan(0);
    expect(text).toContain(`900 tools, ${left_out} of them not shown`);
  });
});
