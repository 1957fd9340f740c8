import { head, rows, when } from './broken-policy.fixture.js';

export const unreadable = rows([
  ['nothing', '§', 'unexpected end of input'],
  ['a comment alone', '§// permit (principal, action, resource);', 'unexpected end of input'],
  ['no semicolon', `${head}§`, 'unexpected end of input'],
  ['an unfinished condition', `${head}\nwhen { resource.riskTier <= §};`, 'unexpected token'],
  [
    'two policies',
    `${head};\n§permit (principal, action == UAR::Action::"use", resource);`,
    'unexpected token',
  ],
  [
    'a template',
    'permit (principal == §?principal, action == UAR::Action::"callTool", resource);',
    'template',
  ],
  ['a scope that lacks a part', 'permit (principal, action§);', 'missing the `resource`'],
  ['single quotes', when('§\'x\' == "x"'), 'double quotes'],
  ['an open string', when('§"open'), 'invalid token'],
  ['an unknown escape', when('§"\\q" == "x"'), 'not a valid escape'],
  ['an assignment', when('§principal.tenant = resource.tenant'), 'not a valid operator'],
  ['a comparison of comparisons', when('§1 < 2 < 3'), 'parentheses'],
  ['a pattern that is no literal', when('"x" like §resource.riskTier'), 'pattern literal'],
  ['a number beyond 64 bits', when('resource.riskTier < §99999999999999999999'), 'number too large'],
  [
    'an action that is none',
    'permit (principal, action == §UAR::Tool::"acme/fs/read", resource);',
    'type `Action`',
  ],
  ['an annotation twice', `@reason("x")\n§@reason("y")\n${head};`, 'duplicate annotation'],
  ['JSON', '§{ "effect": "permit" }', 'unexpected token'],
]);

export const senseless = rows([
  ['types that do not compare', when('§resource.riskTier == "a"'), 'not compatible'],
  ['a number as a condition', when('§resource.riskTier'), 'expected Bool'],
  ['a tag that was not tested', when('§context.args.s.getTag("/path") == "x"'), 'unable to guarantee safety'],
  [
    'an attribute that was not tested',
    when('§context.facts.amount.lessThan(decimal("1.0"))'),
    'unable to guarantee safety',
  ],
  ['approval facts where there are none', when('context.§approval.count > 1'), 'not found'],
  [
    'an agent\u2019s attribute of a user',
    'permit (principal is UAR::User, action == UAR::Action::"callTool", resource)\nwhen { principal.§owner == principal };',
    'not found',
  ],
  [
    'a decimal that is none',
    when('context.facts has amount && context.facts.amount.lessThan(§decimal("1.x"))'),
    'decimal',
  ],
  ['an address that is none', when('§ip("10.0.0.400").isLoopback()'), 'IP address'],
  ['a time that is none', when('context.env.now > §datetime("2026-13-01")'), 'datetime'],
  ['an empty set', when('§[].contains(1)'), 'empty set'],
  ['a set of several types', when('§[1, "a"].contains(1)'), 'not compatible'],
  ['a condition that never holds', `§${when('false')}`, 'impossible'],
  [
    'an action that its resource never takes',
    '§permit (principal, action == UAR::Action::"callTool", resource is UAR::Tenant);',
    'applicable action',
  ],
  [
    'a tool as the principal',
    '§permit (principal == UAR::Tool::"acme/fs/read", action == UAR::Action::"callTool", resource);',
    'applicable action',
  ],
  ['an unknown value', when('§unknown("x")'), 'unknown() is not allowed'],
]);

export const forbidden = rows([
  ['a permit of every action', 'permit (principal, §action, resource);', 'names its actions'],
  [
    'a release',
    'permit (principal, action == §UAR::Action::"callToolApproved", resource);',
    'may not permit callToolApproved',
  ],
  [
    'the group of all calls',
    'permit (principal, action in §UAR::Action::"invoke", resource);',
    'may not permit invoke',
    'callToolUnattended',
  ],
  [
    'a release in a list',
    'permit (principal, action in [UAR::Action::"use",\n  §UAR::Action::"callToolApproved"], resource);',
    'may not permit callToolApproved',
  ],
  [
    'a role without its tenant',
    'permit (principal in §UAR::Role::"admin", action == UAR::Action::"callTool", resource);',
    '<tenant>/<role>',
  ],
  [
    'a server without its tenant',
    'forbid (principal, action in UAR::Action::"invoke", resource in §UAR::Server::"fs");',
    '<tenant>/<server>',
  ],
  ['a tool without its server', when('resource != §UAR::Tool::"acme/read"'), '<tenant>/<server>/<tool>'],
  [
    'a user without a tenant',
    'forbid (principal == §UAR::User::"eve", action in UAR::Action::"use", resource);',
    '<tenant>/<subject>',
  ],
  ['nesting', when(`${'('.repeat(39)}§(${'true'}${')'.repeat(40)}`), 'nested deeper'],
  [
    'operators',
    when(`${Array.from({ length: 300 }, () => 'true').join(' && ')} §&& true`),
    'more than 300 operators',
  ],
  [
    'branches',
    when(`${'if true then true else '.repeat(40)}§if true then true else true`),
    'more than 40 branches',
  ],
  ['length', `${head};${' '.repeat(64 * 1024 - head.length - 1)}§ `, 'longer than'],
  ['a long literal', when(`"a" == §"${'x'.repeat(4_097)}"`), 'a literal longer'],
  [
    'many literals',
    when(`[${Array.from({ length: 999 }, (_, index) => `"${index}"`).join(', ')}, §"x"].contains("y")`),
    'more than 1000 literals',
  ],
  ['wildcards', when(`"a" like §"${'*a'.repeat(65)}"`), 'wildcards'],
  ['text that runs backwards', when('"§\u202e" == "a"'), 'U+202E'],
  ['a character of no width', `${head}§\u200b;`, 'U+200B'],
  ['a byte order mark', `§\ufeff${head};`, 'U+FEFF'],
  ['a NUL', when('"§\0" == "a"'), 'U+0000'],
  ['half a character', when('"§\ud800" == "a"'), 'U+D800'],
]);
