import fc, { type Arbitrary } from 'fast-check';
import { addresses, decimals, ids, instants, pointers, tags, texts } from './world.fixture.js';

/** Expressions as Cedar text, by the type they have as long as nothing fails. Every operator that policies may use is here. */
interface Expressions {
  readonly bool: string;
  readonly long: string;
  readonly text: string;
  readonly entity: string;
  readonly set: string;
  readonly decimal: string;
  readonly datetime: string;
  readonly duration: string;
  readonly ip: string;
  readonly record: string;
}

type Tie = (key: keyof Expressions) => Arbitrary<string>;

const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
const pick = (...options: readonly string[]): Arbitrary<string> => fc.constantFrom(...options);
/** A template with `$` where parts go. */
const form = (template: string, ...parts: readonly Arbitrary<string>[]): Arbitrary<string> =>
  fc.tuple(...parts).map((found) => {
    const pieces = template.split('$');
    return pieces.map((piece, index) => (index === 0 ? piece : `${found[index - 1] ?? ''}${piece}`)).join('');
  });
const forms = (templates: readonly string[], ...parts: readonly Arbitrary<string>[]): Arbitrary<string> =>
  fc.oneof(...templates.map((template) => form(template, ...parts)));

const literals = Object.entries(ids).flatMap(([type, known]) => known.map((id) => `UAR::${type}::"${id}"`));
const literal = pick(...literals);
const place = pick(
  ...literals.filter((one) => /Role|Group|Tenant|Server|Family|Label|Class|Tool|User/.test(one)),
);
const typeName = pick('UAR::User', 'UAR::Agent', 'UAR::Tool', 'UAR::Tenant');
const pointer = pick(...pointers.map(quoted));
const tagName = pick(...tags.map(quoted));
const attribute = pick('suspended', 'mfa', 'maxRisk', 'riskTier', 'ip', 'amount', 'user', 'env', 'nothing');

const anyType = (tie: Tie): Arbitrary<string> =>
  fc.oneof(...(['long', 'text', 'entity', 'set', 'decimal', 'bool', 'record', 'ip'] as const).map(tie));

function long(tie: Tie): Arbitrary<string> {
  return fc.oneof(
    { withCrossShrink: true, maxDepth: 3 },
    // As large as an integer can be that its JSON form, a double, still holds exactly.
    pick('0', '1', '3', '(-2)', '9223372036854774784', '(-9223372036854775808)', '9007199254740991'),
    pick('resource.riskTier', 'resource.quorum', 'principal.maxRisk', 'resource.tenant.maxUnattendedRisk'),
    pick('context.approval.count', 'context.approval.ageSec'),
    form('context.args.n.getTag($)', pointer),
    forms(['($ + $)', '($ - $)', '($ * $)'], tie('long'), tie('long')),
    form('(-$)', tie('long')),
    form('(if $ then $ else $)', tie('bool'), tie('long'), tie('long')),
    forms(
      ['$.toMilliseconds()', '$.toSeconds()', '$.toMinutes()', '$.toHours()', '$.toDays()'],
      tie('duration'),
    ),
  );
}

function text(tie: Tie): Arbitrary<string> {
  return fc.oneof(
    { withCrossShrink: true, maxDepth: 3 },
    pick(...texts.map(quoted)),
    pick('context.env.runId', 'context.env.sessionId'),
    form('context.args.s.getTag($)', pointer),
    form('principal.getTag($)', tagName),
    form('(if $ then $ else $)', tie('bool'), tie('text'), tie('text')),
  );
}

function entity(tie: Tie): Arbitrary<string> {
  return fc.oneof(
    { withCrossShrink: true, maxDepth: 3 },
    pick('principal', 'resource', 'action', 'principal.tenant', 'resource.tenant', 'resource.family'),
    pick('resource.source', 'context.user', 'context.agent', 'principal.owner', 'resource.tool'),
    pick('context.env.channel', 'context.env.profile', 'context.args.s'),
    literal,
    form('(if $ then $ else $)', tie('bool'), tie('entity'), tie('entity')),
  );
}

function set(tie: Tie): Arbitrary<string> {
  return fc.oneof(
    { withCrossShrink: true, maxDepth: 3 },
    pick('resource.capabilities', 'resource.tenant.enabledFamilies', 'resource.parties', 'context.authors'),
    pick('context.args.paths', 'context.args.nulls', 'context.facts.hosts', 'context.facts.pathRoots'),
    pick('context.approval.approvers', 'context.approval.roles', '[]', '[1, 2, 2]', '[[1], [1, 1]]'),
    form('context.args.l.getTag($)', pointer),
    forms(['[$, $]', '[$, "a", $]'], tie('text'), tie('text')),
    form('[$, $]', tie('entity'), tie('entity')),
    form('[$]', tie('long')),
  );
}

const decimal = (tie: Tie): Arbitrary<string> =>
  fc.oneof(
    pick(...[...decimals, '1', '1.00000', '922337203685477.5808', 'x'].map((one) => `decimal("${one}")`)),
    pick('context.facts.amount'),
    form('context.args.d.getTag($)', pointer),
    form('decimal($)', tie('text')),
  );

const badInstants = ['2026-02-30', '2026-1-1', '2026-02-28T24:00:00Z', ''];

const datetime = (tie: Tie): Arbitrary<string> =>
  fc.oneof(
    { withCrossShrink: true, maxDepth: 3 },
    pick('context.env.now', 'resource.expiresAt'),
    pick(...[...instants, ...badInstants].map((one) => `datetime("${one}")`)),
    form('$.offset($)', tie('datetime'), tie('duration')),
    form('$.toDate()', tie('datetime')),
  );

const duration = (tie: Tie): Arbitrary<string> =>
  fc.oneof(
    { withCrossShrink: true, maxDepth: 3 },
    pick(
      ...['0ms', '1d2h3m4s5ms', '-90m', '1h', '1x', '', '-', '5s1m', '106751991167d'].map(
        (one) => `duration("${one}")`,
      ),
    ),
    form('$.durationSince($)', tie('datetime'), tie('datetime')),
    form('$.toTime()', tie('datetime')),
  );

const badAddresses = ['10.0.0.256', '10.0.0.1/33', '01.2.3.4', ':::', '1.2.3', ''];

const ip = (tie: Tie): Arbitrary<string> =>
  fc.oneof(
    pick('context.env.ip'),
    pick(...[...addresses, ...badAddresses].map((one) => `ip("${one}")`)),
    form('ip($)', tie('text')),
  );

const record = (tie: Tie): Arbitrary<string> =>
  fc.oneof(
    pick('context', 'context.env', 'context.args', 'context.facts', 'context.approval', '{}'),
    form('{a: $, "b c": $}', tie('long'), tie('text')),
  );

const pattern = pick('"*"', '"a*b"', '"a\\*b"', '"/workspace/*"', '"*a*"', '"ü*😀"', '"c?"', '""', '"**a"');

function comparison(tie: Tie): Arbitrary<string> {
  const orders = ['($ < $)', '($ <= $)', '($ > $)', '($ >= $)'];
  const decimals = ['$.lessThan($)', '$.lessThanOrEqual($)', '$.greaterThan($)', '$.greaterThanOrEqual($)'];
  const same = (key: keyof Expressions) => forms(['($ == $)', '($ != $)'], tie(key), tie(key));
  return fc.oneof(
    forms(orders, tie('long'), tie('long')),
    forms(orders, tie('datetime'), tie('datetime')),
    forms(orders, tie('duration'), tie('duration')),
    forms(decimals, tie('decimal'), tie('decimal')),
    ...(['long', 'text', 'entity', 'set', 'decimal', 'ip', 'record'] as const).map(same),
    forms(['($ == $)', '($ != $)'], anyType(tie), anyType(tie)),
  );
}

function membership(tie: Tie): Arbitrary<string> {
  return fc.oneof(
    form('($ in $)', tie('entity'), place),
    form('($ in [$, $])', tie('entity'), place, place),
    form('($ in $)', tie('entity'), tie('entity')),
    form('($ in $)', tie('entity'), tie('set')),
    form('($ is $)', tie('entity'), typeName),
    form('($ is $ in $)', tie('entity'), typeName, tie('entity')),
    forms(['$.contains($)'], tie('set'), anyType(tie)),
    forms(['$.containsAll($)', '$.containsAny($)'], tie('set'), tie('set')),
    form('$.isEmpty()', tie('set')),
    forms(['($ has $)'], tie('entity'), attribute),
    forms(['(context has $)', '(context.env has $)', '(context.facts has $)'], attribute),
    pick('(context has env.ip)', '(principal has tenant.killSwitch)', '(context has "user")'),
    forms(['principal.hasTag($)', 'context.user.hasTag($)'], tagName),
    forms(['context.args.s.hasTag($)', 'context.args.n.hasTag($)', 'context.args.l.hasTag($)'], pointer),
    form('($ like $)', tie('text'), pattern),
    forms(['$.isIpv4()', '$.isIpv6()', '$.isLoopback()', '$.isMulticast()'], tie('ip')),
    form('$.isInRange($)', tie('ip'), tie('ip')),
  );
}

function bool(tie: Tie): Arbitrary<string> {
  return fc.oneof(
    { withCrossShrink: true, maxDepth: 4 },
    pick(
      'true',
      'false',
      'principal.suspended',
      'resource.pinned',
      'resource.tenant.killSwitch',
      'principal.mfa',
    ),
    pick('resource.openWorld', 'context.args.lossless', 'context.facts.complete', 'resource.enabled'),
    { arbitrary: comparison(tie), weight: 3 },
    { arbitrary: membership(tie), weight: 4 },
    { arbitrary: forms(['($ && $)', '($ || $)'], tie('bool'), tie('bool')), weight: 3 },
    form('(!$)', tie('bool')),
    form('(if $ then $ else $)', tie('bool'), tie('bool'), tie('bool')),
    form('context.args.b.getTag($)', pointer),
    /** Of another type: an error wherever it is reached. */
    tie('long'),
  );
}

const expressions = fc.letrec((tie: fc.LetrecTypedTie<Expressions>) => ({
  ...{ bool: bool(tie), long: long(tie), text: text(tie), entity: entity(tie), set: set(tie) },
  ...{
    decimal: decimal(tie),
    datetime: datetime(tie),
    duration: duration(tie),
    ip: ip(tie),
    record: record(tie),
  },
}));

const principalScope = fc.oneof(
  {
    arbitrary: pick('principal', 'principal', 'principal is UAR::User', 'principal is UAR::Agent'),
    weight: 6,
  },
  pick('principal in UAR::Role::"a/r"', 'principal in UAR::Role::"a/t"', 'principal in UAR::Group::"a/x"'),
  pick(
    'principal == UAR::User::"a/u"',
    'principal is UAR::User in UAR::Role::"a/t"',
    'principal in UAR::AgentClass::"coder"',
  ),
);
const actionScope = fc.oneof(
  {
    arbitrary: pick('action', 'action', 'action in UAR::Action::"use"', 'action in UAR::Action::"invoke"'),
    weight: 5,
  },
  pick(
    'action in UAR::Action::"admin"',
    'action in UAR::Action::"consume"',
    'action == UAR::Action::"approve"',
  ),
  pick(
    'action == UAR::Action::"callTool"',
    'action == UAR::Action::"callToolUnattended"',
    'action == UAR::Action::"callToolApproved"',
  ),
  pick(
    'action in [UAR::Action::"use", UAR::Action::"admin"]',
    'action in [UAR::Action::"discoverTool", UAR::Action::"listTools"]',
  ),
);
const resourceScope = fc.oneof(
  {
    arbitrary: pick('resource', 'resource', 'resource is UAR::Tool', 'resource in UAR::Tenant::"a"'),
    weight: 6,
  },
  pick('resource in UAR::Server::"a/fs"', 'resource in UAR::Family::"mcp"', 'resource in UAR::Label::"pii"'),
  pick('resource == UAR::Tool::"a/fs/read"', 'resource is UAR::Tool in UAR::Server::"a/fs"'),
);
const condition = fc.oneof(
  { arbitrary: form('when { $ }', expressions.bool), weight: 3 },
  form('unless { $ }', expressions.bool),
  form('when { $ } unless { $ }', expressions.bool, expressions.bool),
);

const effect = pick('permit', 'permit', 'permit', 'forbid');

export const policyText: Arbitrary<string> = fc.oneof(
  {
    arbitrary: form('$ ($, $, $) $;', effect, principalScope, actionScope, resourceScope, condition),
    weight: 5,
  },
  form('$ ($, $, $);', effect, principalScope, actionScope, resourceScope),
);

/** Policies under ids as sets have them. */
export const policyTexts: Arbitrary<Record<string, string>> = fc
  .array(policyText, { minLength: 1, maxLength: 8 })
  .map((found) => Object.fromEntries(found.map((one, index) => [`t/rule-${index}`, one])));
