/** Few ids of each type, so that what policies name is often what questions are about. */
export const ids = {
  Tenant: ['a', 'b'],
  User: ['a/u', 'a/v'],
  Agent: ['a/g', 'b/g'],
  Role: ['a/r', 'a/s', 'a/t'],
  Group: ['a/x', 'a/y'],
  AgentClass: ['coder', 'clerk'],
  Family: ['mcp', 'native.file'],
  Label: ['pii', 'prod'],
  Server: ['a/fs', 'b/db'],
  Tool: ['a/fs/read', 'a/fs/write'],
  Resource: ['a/doc'],
  Prompt: ['a/hello'],
  ApprovalRequest: ['a/appr'],
  Capability: ['read', 'write', 'execute'],
  Source: ['native', 'mcp'],
  Channel: ['interactive', 'background', 'api'],
  Profile: ['minimal', 'server_full'],
} as const;
export type TypeName = keyof typeof ids;

export const pointers = ['/path', '/n', '/opts/depth'] as const;
export const tags = ['clearance', 'department'] as const;
export const texts = [
  '',
  'a',
  '/workspace/a',
  '/etc/passwd',
  'a*b',
  'ü€😀',
  'c2',
  '/path',
  'A\n"\\',
] as const;
export const decimals = ['0.0', '1.5', '-1.5', '1.50', '922337203685477.5807', '2.0001'] as const;
export const instants = [
  '1969-12-31T23:59:59.999Z',
  '1970-01-01',
  '2026-02-28T12:00:00Z',
  '2026-02-28T12:00:00.001+0130',
] as const;
export const addresses = [
  '127.0.0.1',
  '10.1.2.3',
  '10.0.0.0/8',
  '224.0.0.1',
  '::1',
  'ff02::1',
  '2001:db8::/32',
  '::',
] as const;
