import type { TokenOptions } from '@uar/testkit';
import fc from 'fast-check';
import type { Answer, Client } from './client.js';
import { fixtureServer } from './on-both-buses.js';

const tools = ['raw', 'count', 'odd'];
const override = (more: object): object => ({ read_only: true, ...more });

/** One fixture, many risks, capabilities and hints. */
export const servers: Record<string, object> = {
  calm: fixtureServer(),
  risky: fixtureServer(
    {},
    { tools: { overrides: { '*': override({ risk: 2 }), odd: override({ risk: 4, quorum: 2 }) } } },
  ),
  strong: fixtureServer(
    {},
    {
      tools: {
        overrides: {
          raw: { read_only: false, destructive: true, risk: 3 },
          count: override({ capabilities: ['read', 'write'], risk: 1 }),
          odd: override({ labels: ['secret'] }),
        },
      },
    },
  ),
  doubtful: fixtureServer(
    {},
    { trust_annotations: false, tools: { overrides: { count: { hidden: true } } } },
  ),
};
export const toolNames = Object.keys(servers).flatMap((server) => tools.map((tool) => `${server}__${tool}`));

export const policies = {
  'guest-calm':
    'permit (principal in UAR::Role::"default/guest", action in [UAR::Action::"use", UAR::Action::"callToolUnattended"], resource in UAR::Server::"default/calm")\n' +
    'when { resource.riskTier <= 1 };',
  'no-bad-ids':
    '@reason("ids that start with bad are taken back")\n' +
    'forbid (principal, action in UAR::Action::"invoke", resource)\n' +
    'when { context has args && context.args.s.hasTag("/id") && context.args.s.getTag("/id") like "bad*" };',
  'secret-hides':
    'forbid (principal, action == UAR::Action::"discoverTool", resource in UAR::Label::"secret")\n' +
    'unless { principal in UAR::Role::"default/auditor" };',
  'ask-long-waits':
    '@reason("long waits are looked at")\n' +
    'forbid (principal, action == UAR::Action::"callToolUnattended", resource)\n' +
    'when { context.args.n.hasTag("/wait_ms") && context.args.n.getTag("/wait_ms") > 3 };',
};

export interface Person extends TokenOptions {
  readonly sub: string;
  readonly roles: readonly string[];
}

export const people = fc
  .sample(
    fc.record({
      roles: fc.subarray(['admin', 'user', 'guest', 'auditor']),
      agent: fc.constantFrom(undefined, undefined, undefined, 'coder', 'stranger'),
    }),
    { numRuns: 11, seed: 7 },
  )
  .map(({ roles, agent }, index): Person => ({
    sub: `p${index}`,
    roles,
    ...(agent === undefined ? {} : { agent }),
  }));

const someArguments = fc.record(
  { id: fc.constantFrom('a', 'bad1', 'b', 'worse'), wait_ms: fc.constantFrom(0, 1, 5) },
  { requiredKeys: [] },
);
export const rounds = fc.sample(
  fc.array(someArguments, { minLength: toolNames.length, maxLength: toolNames.length }),
  {
    numRuns: 4,
    seed: 7,
  },
);

export const specOf = ({ sub, roles, agent }: Person): object => ({
  ...{ sub, roles },
  ...(agent === undefined ? {} : { agent_id: agent }),
});

/** What a live call comes to, in the words of a simulation. A human that was asked is let go again. */
export async function called(client: Client, tool: string, args: object, expected: string): Promise<string> {
  const path = `/api/tools/${tool}/execute`;
  const isAwaited = expected !== 'require_approval';
  const answer = await client.request(path, {
    body: { arguments: args, ...(isAwaited ? { deadline_ms: 10_000 } : {}) },
    headers: isAwaited ? {} : { prefer: 'respond-async' },
  });
  const outcome = String(answer.body['outcome']);
  if (outcome !== 'pending') return outcome === 'completed' ? 'allow' : outcome;
  await client.request(`/api/uar/calls/${String(answer.body['call_id'])}/cancel`, { body: {} });
  return asksHuman(answer) ? 'require_approval' : 'allow';
}

function asksHuman({ body }: Answer): boolean {
  return (body['decision'] as unknown as { kind: string } | null)?.kind === 'require_approval';
}
