import fc, { type Arbitrary } from 'fast-check';
import { form, pick, type Expressions } from './forms.fixture.js';
import { bool } from './truths.fixture.js';
import { datetime, decimal, duration, entity, ip, long, record, set, text } from './values.fixture.js';

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
