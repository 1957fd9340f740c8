import { ServerConfig, TenantId, ToolFacts, ToolOverride, type NativeToolStatement } from '@uar/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveFacts, resolveNativeFacts } from './facts.js';

const tenant = TenantId.parse('default');
const definitionDigest = `sha256:${'0'.repeat(64)}`;

interface Case {
  readonly trust?: boolean;
  readonly annotations?: Record<string, unknown>;
  readonly overrides?: Record<string, unknown>;
}

function factsOf({ trust = false, annotations = {}, overrides = {} }: Case): ToolFacts {
  const config = ServerConfig.parse({
    transport: 'stdio',
    command: 'x',
    trust_annotations: trust,
    tools: { overrides },
  });
  const definition = { name: 'tool', annotations };
  return ToolFacts.parse(
    resolveFacts({ tenant, server: 's', config, definition, definitionDigest, pinned: true }),
  );
}

/** read_only, destructive, idempotent, open_world, hints_trusted, risk, capabilities */
const row = (facts: ToolFacts) => [
  ...[facts.read_only, facts.destructive, facts.idempotent, facts.open_world, facts.hints_trusted].map(
    (flag) => (flag ? 1 : 0),
  ),
  facts.risk,
  facts.capabilities.join(' '),
];

const lie = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

describe('resolveFacts', () => {
  it.each<[string, Case, unknown[]]>([
    ['an untrusted server without hints', {}, [0, 1, 0, 1, 0, 3, 'read write network']],
    [
      'an untrusted server that claims to be harmless',
      { annotations: lie },
      [0, 1, 0, 1, 0, 3, 'read write network'],
    ],
    ['a vouched server without hints', { trust: true }, [0, 1, 0, 1, 1, 3, 'read write network']],
    ['a vouched read-only closed-world tool', { trust: true, annotations: lie }, [1, 0, 1, 0, 1, 0, 'read']],
    [
      'a vouched read-only tool',
      { trust: true, annotations: { readOnlyHint: true } },
      [1, 0, 0, 1, 1, 1, 'read network'],
    ],
    [
      'a vouched writing tool without destruction',
      { trust: true, annotations: { destructiveHint: false, openWorldHint: false } },
      [0, 0, 0, 0, 1, 2, 'read write'],
    ],
    [
      'a vouched tool with hints of the wrong type',
      { trust: true, annotations: { readOnlyHint: 'true', destructiveHint: 0, openWorldHint: null } },
      [0, 1, 0, 1, 1, 3, 'read write network'],
    ],
    [
      'a vouched tool that says read-only and destructive',
      { trust: true, annotations: { readOnlyHint: true, destructiveHint: true, openWorldHint: false } },
      [1, 0, 0, 0, 1, 0, 'read'],
    ],
    [
      'an override read_only',
      { overrides: { tool: { read_only: true } } },
      [1, 0, 0, 1, 1, 1, 'read network'],
    ],
    [
      'an override destructive',
      { overrides: { tool: { destructive: false } } },
      [0, 0, 0, 1, 1, 2, 'read write network'],
    ],
    [
      'an override open_world alone, which trusts nothing',
      { overrides: { tool: { open_world: false } } },
      [0, 1, 0, 0, 0, 3, 'read write network'],
    ],
    [
      'an override of every tool',
      { annotations: lie, overrides: { '*': { read_only: true, open_world: false } } },
      [1, 0, 0, 0, 1, 0, 'read'],
    ],
    [
      'an override of the tool before that of every tool, member by member',
      {
        overrides: {
          '*': { read_only: true, open_world: false, idempotent: true },
          tool: { read_only: false },
        },
      },
      [0, 1, 1, 0, 1, 3, 'read write'],
    ],
    [
      'an override against a vouched hint',
      { trust: true, annotations: lie, overrides: { tool: { read_only: false, destructive: true } } },
      [0, 1, 1, 0, 1, 3, 'read write'],
    ],
    [
      'an override of another tool',
      { overrides: { other: { read_only: true } } },
      [0, 1, 0, 1, 0, 3, 'read write network'],
    ],
    [
      'an overridden risk and capabilities',
      { overrides: { tool: { risk: 4, capabilities: ['execute', 'read', 'read'] } } },
      [0, 1, 0, 1, 0, 4, 'read execute'],
    ],
  ])('resolves %s', (_what, given, expected) => {
    expect(row(factsOf(given))).toEqual(expected);
  });

  it('takes quorum, labels, extractors and secrets from the overrides', () => {
    const facts = { paths: ['/path'], hosts: ['/url'], recipients: [], amount: '/sum' };
    const overrides = { '*': { quorum: 2, labels: ['money'] }, tool: { facts, secret_pointers: ['/token'] } };
    const resolved = factsOf({ overrides });
    expect(resolved).toMatchObject({
      quorum: 2,
      labels: ['money'],
      extractors: facts,
      secret_pointers: ['/token'],
    });
  });

  it('reads no override off a prototype', () => {
    const config = ServerConfig.parse({ transport: 'stdio', command: 'x' });
    for (const name of ['constructor', '__proto__', 'toString']) {
      const definition = { name, annotations: {} };
      const facts = resolveFacts({ tenant, server: 's', config, definition, definitionDigest, pinned: true });
      expect(facts.hints_trusted).toBe(false);
      expect(facts.risk).toBe(3);
    }
  });

  const annotations = fc.dictionary(
    fc.constantFrom(
      'readOnlyHint',
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'title',
      '__proto__',
    ),
    fc.oneof(fc.boolean(), fc.jsonValue()),
  );
  const override = fc.record(
    {
      read_only: fc.boolean(),
      destructive: fc.boolean(),
      idempotent: fc.boolean(),
      open_world: fc.boolean(),
      risk: fc.integer({ min: 0, max: 4 }),
      quorum: fc.integer({ min: 1, max: 3 }),
    },
    { requiredKeys: [] },
  );
  const overrides = fc.record({ tool: override, '*': override }, { requiredKeys: [] });

  it('never lets a server that nobody vouches for change anything by its annotations', () => {
    fc.assert(
      fc.property(annotations, overrides, (claimed, given) => {
        expect(factsOf({ annotations: claimed, overrides: given })).toEqual(factsOf({ overrides: given }));
      }),
    );
  });

  it('is never lower for a server that nobody vouches for than for the same server vouched for', () => {
    fc.assert(
      fc.property(annotations, overrides, (claimed, given) => {
        const untrusted = factsOf({ annotations: claimed, overrides: given });
        const trusted = factsOf({ annotations: claimed, overrides: given, trust: true });
        if (!untrusted.hints_trusted) expect(untrusted.risk).toBeGreaterThanOrEqual(trusted.risk);
        if (untrusted.read_only) expect(trusted.read_only).toBe(true);
        if (!untrusted.open_world) expect(trusted.open_world).toBe(false);
      }),
    );
  });

  it('lets an override win over every annotation, and never calls a read-only tool destructive', () => {
    fc.assert(
      fc.property(annotations, override, fc.boolean(), (claimed, given, trust) => {
        const parsed = ToolOverride.parse(given);
        const facts = factsOf({ annotations: claimed, overrides: { tool: given }, trust });
        if (parsed.read_only !== undefined) expect(facts.read_only).toBe(parsed.read_only);
        if (parsed.risk !== undefined) expect(facts.risk).toBe(parsed.risk);
        if (parsed.idempotent !== undefined) expect(facts.idempotent).toBe(parsed.idempotent);
        expect(facts.read_only && facts.destructive).toBe(false);
      }),
    );
  });
});

describe('resolveNativeFacts', () => {
  const statement: NativeToolStatement = {
    family: 'native.web_fetch',
    capabilities: ['network', 'read'],
    risk: 2,
    read_only: true,
    destructive: true,
    idempotent: true,
    open_world: true,
    paths: [],
    hosts: ['/url'],
    timeout_ms: 30_000,
  };

  it('takes what the host states, trusted', () => {
    const facts = resolveNativeFacts({
      tenant,
      server: 'native',
      rawName: 'web_fetch',
      statement,
      definitionDigest,
      pinned: true,
    });
    expect(row(ToolFacts.parse(facts))).toEqual([1, 0, 1, 1, 1, 2, 'read network']);
    expect(facts).toMatchObject({
      source: 'native',
      family: 'native.web_fetch',
      extractors: { hosts: ['/url'] },
    });
  });
});
