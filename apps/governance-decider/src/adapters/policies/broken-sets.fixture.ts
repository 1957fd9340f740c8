/** One way to break a set: the text of `t/x`, with `§` before what is wrong. */
export interface BrokenPolicy {
  readonly name: string;
  readonly text: string;
  /** Part of the message. */
  readonly says: string;
  /** The nearest match, where what is wrong is a name. */
  readonly meant?: string;
}

const rows = (
  list: readonly (readonly [name: string, text: string, says: string, meant?: string])[],
): readonly BrokenPolicy[] =>
  list.map(([name, text, says, meant]) => ({ name, text, says, ...(meant === undefined ? {} : { meant }) }));

const head = 'permit (principal, action == UAR::Action::"callTool", resource)';
const when = (condition: string) => `${head}\nwhen { ${condition} };`;
const forbid = (scope: string, condition: string) =>
  `forbid (principal, action in UAR::Action::"invoke", ${scope})\nunless { ${condition} };`;
const inFs = 'resource in UAR::Server::"acme/fs"';

export const misspelled = rows([
  ['an effect', '§permitt (principal, action, resource);', 'invalid policy effect', 'permit'],
  ['the principal of a scope', 'permit (§principle, action, resource);', 'invalid variable', 'principal'],
  ['the action of a scope', 'permit (principal, §acton, resource);', 'invalid variable', 'action'],
  ['the resource of a scope', 'permit (principal, action,\n  §resourse);', 'invalid variable', 'resource'],
  ['a condition', `${head}\n§wehn { true };`, 'invalid policy condition', 'when'],
  ['an unless', `${head}\n§unles { true };`, 'invalid policy condition', 'unless'],
  ['a variable of a condition', when('§principle.suspended'), 'no fields or methods', 'principal'],
  ['a method', when('context.args.s.§hastag("/path")'), 'not a valid method', 'hasTag'],
  [
    'a method of addresses',
    when('context.env has ip && context.env.ip.§isInrange(ip("10.0.0.0/8"))'),
    'not a valid method',
    'isInRange',
  ],
  ['a function', when('§Ip("10.0.0.1") == ip("10.0.0.1")'), 'not a valid function', 'ip'],
  [
    'an action',
    'permit (principal, action == §UAR::Action::"callTol", resource);',
    'unrecognized action',
    'UAR::Action::"callTool"',
  ],
  [
    'an action of a list',
    'permit (principal, action in [UAR::Action::"use", §UAR::Action::"admn"], resource);',
    'unrecognized action',
    'UAR::Action::"admin"',
  ],
  [
    'a namespace',
    'permit (principal, action == §Action::"callTool", resource);',
    'unrecognized action',
    'UAR::Action::"callTool"',
  ],
  [
    'an action in letters that look the same',
    'permit (principal, action == §UAR::Action::"c\u0430llTool", resource);',
    'unrecognized action',
    'UAR::Action::"callTool"',
  ],
  [
    'a type of principals',
    'permit (principal in §UAR::Rolee::"acme/admin", action == UAR::Action::"callTool", resource);',
    'unrecognized entity type',
    'UAR::Role',
  ],
  [
    'a type after is',
    'permit (principal is §UAR::Usr, action == UAR::Action::"callTool", resource);',
    'unrecognized entity type',
    'UAR::User',
  ],
  [
    'a type of resources',
    'forbid (principal, action == UAR::Action::"callTool", resource in §UAR::Sever::"acme/fs");',
    'unrecognized entity type',
    'UAR::Server',
  ],
  ['a type in a condition', when('resource in §UAR::Lable::"pii"'), 'unrecognized entity type', 'UAR::Label'],
  ['an attribute of a tool', when('resource.§riskTeir <= 1'), 'not found', 'riskTier'],
  ['an attribute of a principal', when('!principal.§suspendd'), 'not found', 'suspended'],
  ['an attribute of a tenant', when('!resource.tenant.§killSwich'), 'not found', 'killSwitch'],
  ['a part of the context', when('context.§arg.s.hasTag("/path")'), 'not found', 'args'],
  [
    'an attribute of the environment',
    when('context.env.§chanel == UAR::Channel::"api"'),
    'not found',
    'channel',
  ],
  ['an attribute of the facts', when('context.facts.§completee'), 'not found', 'complete'],
  [
    'an attribute after has',
    'forbid (principal, action in UAR::Action::"admin", resource)\nunless { context.env has §ipp };',
    'declared nowhere',
    'ip',
  ],
  [
    'an attribute in a string after has',
    when('!(context.facts has §"amuont")'),
    'declared nowhere',
    'amount',
  ],
  ['an attribute of a path after has', when('!(context has env.§ipp)'), 'declared nowhere', 'ip'],
  [
    'a channel',
    when('context.env.channel == UAR::Channel::"§backgroud"'),
    'enumerated entity type',
    'background',
  ],
  [
    'a capability',
    when('resource.capabilities.contains(UAR::Capability::"§raed")'),
    'enumerated entity type',
    'read',
  ],
  ['a source', when('resource.source == UAR::Source::"§mpc"'), 'enumerated entity type', 'mcp'],
  [
    'a profile',
    when('context.env.profile == UAR::Profile::"§server-full"'),
    'enumerated entity type',
    'server_full',
  ],
  ['an annotation', `@§reeson("x")\n${head};`, 'unknown annotation', 'reason'],
  ['its own id', `@reason("x")\n@§id("t/y")\n${head};`, 'differs from the file name', 't/x'],
]);

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

export const deadPointers = rows([
  [
    'a pointer without a slash',
    forbid(inFs, 'context.args.s.hasTag(§"path")'),
    'no argument pointer',
    '/path',
  ],
  [
    'a path of JavaScript',
    forbid(inFs, 'context.args.s.hasTag(§"$.opts.mode")'),
    'no argument pointer',
    '/opts/mode',
  ],
  [
    'a star within a name',
    forbid(inFs, 'context.args.s.hasTag(§"/pa*th")'),
    'no argument pointer',
    '/pa~2th',
  ],
  [
    'a repeated value in a plain bag',
    forbid(inFs, 'context.args.s.hasTag(§"/items/*/id")'),
    'below an array',
    'context.args.l',
  ],
  ['a plain value in the bag of sets', forbid(inFs, 'context.args.l.hasTag(§"/path")'), 'below arrays'],
  ['an argument of a server', forbid(inFs, 'context.args.s.hasTag(§"/pth")'), 'no tool in', '/path'],
  [
    'an argument of a tool',
    forbid('resource == UAR::Tool::"acme/fs/write"', 'context.args.s.hasTag(§"/contnet")'),
    'no tool in',
    '/content',
  ],
  [
    'an argument that another tool has',
    forbid('resource == UAR::Tool::"acme/fs/read"', 'context.args.s.hasTag(§"/content")'),
    'no tool in',
  ],
  [
    'an argument of a label',
    forbid('resource in UAR::Label::"finance"', 'context.args.n.hasTag(§"/ammount")'),
    'no tool in',
    '/amount',
  ],
  [
    'an argument of a family',
    forbid('resource in UAR::Family::"native.file"', 'context.args.s.hasTag(§"/pathh")'),
    'no tool in',
    '/path',
  ],
  [
    'an argument of a tool named in a condition',
    `forbid (principal, action == UAR::Action::"callTool", resource)\nwhen { resource == UAR::Tool::"acme/pay/transfer" && !context.args.s.hasTag(§"/ibna") };`,
    'no tool in',
    '/iban',
  ],
  [
    'an argument below another',
    forbid(inFs, 'context.args.s.hasTag(§"/opts/mod")'),
    'no tool in',
    '/opts/mode',
  ],
  [
    'an argument behind a reference',
    forbid('resource in UAR::Label::"finance"', 'context.args.s.hasTag(§"/owner/adress/city")'),
    'no tool in',
    '/owner/address/city',
  ],
  [
    'an argument below an array',
    forbid(inFs, 'context.args.l.hasTag(§"/items/*/idd")'),
    'no tool in',
    '/items/*/id',
  ],
  [
    'an element by its number',
    forbid(inFs, 'context.args.s.hasTag(§"/items/0/id")'),
    'no tool in',
    '/items/*/id',
  ],
  [
    'a pointer among all paths',
    forbid(inFs, 'context.args.paths.contains(§"/pahts")'),
    'no tool in',
    '/path',
  ],
  [
    'a pointer among several paths',
    forbid(inFs, 'context.args.paths.containsAny(["/path", §"/optss/mode"])'),
    'no tool in',
    '/opts/mode',
  ],
  ['a pointer among the nulls', forbid(inFs, 'context.args.nulls.contains(§"/pat")'), 'no tool in', '/path'],
  [
    'a string in the bag of numbers',
    forbid(inFs, 'context.args.n.hasTag(§"/path")'),
    'is string',
    'context.args.s',
  ],
  [
    'a number in the bag of strings',
    forbid('resource == UAR::Tool::"acme/fs/read"', 'context.args.s.hasTag(§"/depth")'),
    'is number',
    'context.args.n',
  ],
  [
    'a truth value in the bag of strings',
    forbid(inFs, 'context.args.s.hasTag(§"/opts/recursive")'),
    'is boolean',
    'context.args.b',
  ],
  [
    'numbers in the bag of sets of strings',
    forbid('resource in UAR::Label::"finance"', 'context.args.l.hasTag(§"/limits/*")'),
    'is number',
  ],
  [
    'a pointer read behind a branch',
    forbid(inFs, '(if context.args.lossless then context.args.s else context.args.s).hasTag(§"/pth")'),
    'no tool in',
    '/path',
  ],
]);
