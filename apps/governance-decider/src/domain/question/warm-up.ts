import { Caller, ToolFacts } from '@uar/contracts';
import type { CedarQuestion } from '../cedar/cedar.js';
import type { PolicySet } from '../policy/policy-set.js';
import type { Directory } from './directory.js';
import { toolQuestions } from './tool-questions.js';

const tenant = 'default';

const caller = Caller.parse({
  principal: {
    issuer: '',
    subject: 'warm-up',
    tenant,
    kind: 'user',
    roles: ['admin', 'user'],
    groups: [],
    scopes: [],
    mfa: false,
    claims: {},
    expires_at: 0,
  },
  channel: 'api',
  run_id: `run_${'0'.repeat(32)}`,
  session_id: '',
});

const tool = ToolFacts.parse({
  tenant,
  server: 'warm-up',
  raw_name: 'nothing',
  source: 'mcp',
  family: 'mcp',
  capabilities: ['read'],
  risk: 0,
  read_only: true,
  destructive: false,
  idempotent: true,
  open_world: false,
  hints_trusted: true,
  enabled: true,
  pinned: true,
  quorum: 1,
  labels: [],
  extractors: { paths: ['/path'], hosts: [], recipients: [] },
  secret_pointers: [],
  definition_digest: `sha256:${'0'.repeat(64)}`,
});

const argumentText = '{"path":"/a/b","depth":3,"ratio":0.5,"deep":{"flag":true},"names":["x","y"]}';

/** Questions as live ones are, whose answers nobody reads: the first evaluation of an instance takes 100 ms and more. */
export function warmUpQuestions(set: PolicySet, directory: Directory): readonly CedarQuestion[] {
  const ask = { caller, tool, argumentText, profile: 'minimal' as const, now: 0 };
  const ready = toolQuestions(ask, set, directory);
  if (ready.kind === 'refused') return [];
  return (['discoverTool', 'callTool', 'callToolUnattended'] as const).flatMap((action) =>
    ready.questions(action),
  );
}
