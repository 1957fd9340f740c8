import fc, { type Arbitrary } from 'fast-check';
import {
  attribute,
  form,
  forms,
  pick,
  place,
  pointer,
  tagName,
  typeName,
  type Expressions,
  type Tie,
} from './forms.fixture.js';

const anyType = (tie: Tie): Arbitrary<string> =>
  fc.oneof(...(['long', 'text', 'entity', 'set', 'decimal', 'bool', 'record', 'ip'] as const).map(tie));

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

export function bool(tie: Tie): Arbitrary<string> {
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
