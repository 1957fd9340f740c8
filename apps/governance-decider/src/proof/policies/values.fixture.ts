import fc, { type Arbitrary } from 'fast-check';
import { addresses, decimals, instants, texts } from '../world/vocabulary.fixture.js';
import { form, forms, literal, pick, pointer, quoted, tagName, type Tie } from './forms.fixture.js';

export function long(tie: Tie): Arbitrary<string> {
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

export function text(tie: Tie): Arbitrary<string> {
  return fc.oneof(
    { withCrossShrink: true, maxDepth: 3 },
    pick(...texts.map(quoted)),
    pick('context.env.runId', 'context.env.sessionId'),
    form('context.args.s.getTag($)', pointer),
    form('principal.getTag($)', tagName),
    form('(if $ then $ else $)', tie('bool'), tie('text'), tie('text')),
  );
}

export function entity(tie: Tie): Arbitrary<string> {
  return fc.oneof(
    { withCrossShrink: true, maxDepth: 3 },
    pick('principal', 'resource', 'action', 'principal.tenant', 'resource.tenant', 'resource.family'),
    pick('resource.source', 'context.user', 'context.agent', 'principal.owner', 'resource.tool'),
    pick('context.env.channel', 'context.env.profile', 'context.args.s'),
    literal,
    form('(if $ then $ else $)', tie('bool'), tie('entity'), tie('entity')),
  );
}

export function set(tie: Tie): Arbitrary<string> {
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

export const decimal = (tie: Tie): Arbitrary<string> =>
  fc.oneof(
    pick(...[...decimals, '1', '1.00000', '922337203685477.5808', 'x'].map((one) => `decimal("${one}")`)),
    pick('context.facts.amount'),
    form('context.args.d.getTag($)', pointer),
    form('decimal($)', tie('text')),
  );

const badInstants = ['2026-02-30', '2026-1-1', '2026-02-28T24:00:00Z', ''];

export const datetime = (tie: Tie): Arbitrary<string> =>
  fc.oneof(
    { withCrossShrink: true, maxDepth: 3 },
    pick('context.env.now', 'resource.expiresAt'),
    pick(...[...instants, ...badInstants].map((one) => `datetime("${one}")`)),
    form('$.offset($)', tie('datetime'), tie('duration')),
    form('$.toDate()', tie('datetime')),
  );

export const duration = (tie: Tie): Arbitrary<string> =>
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

export const ip = (tie: Tie): Arbitrary<string> =>
  fc.oneof(
    pick('context.env.ip'),
    pick(...[...addresses, ...badAddresses].map((one) => `ip("${one}")`)),
    form('ip($)', tie('text')),
  );

export const record = (tie: Tie): Arbitrary<string> =>
  fc.oneof(
    pick('context', 'context.env', 'context.args', 'context.facts', 'context.approval', '{}'),
    form('{a: $, "b c": $}', tie('long'), tie('text')),
  );
