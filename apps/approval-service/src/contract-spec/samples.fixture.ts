import { randomBytes } from 'node:crypto';
import {
  CallId,
  TenantId,
  type ApprovalDraft,
  type Caller,
  type Principal,
  type ReceiptBody,
} from '@uar/contracts';

export const acme = TenantId.parse('acme');
export const beta = TenantId.parse('beta');

function hex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

export function callId(): CallId {
  return CallId.parse(`call_${hex(16)}`);
}

export function digestOf(letter: string): string {
  return `sha256:${letter.repeat(64)}`;
}

export function principal(subject: string, changes: Partial<Principal> = {}): Principal {
  return {
    issuer: 'https://idp.example',
    subject,
    tenant: acme,
    kind: 'user',
    roles: ['user'],
    groups: [],
    scopes: [],
    mfa: true,
    claims: {},
    expires_at: Date.now() + 3_600_000,
    ...changes,
  };
}

export function caller(subject: string, changes: Partial<Principal> = {}): Caller {
  return {
    principal: principal(subject, changes),
    channel: 'interactive',
    run_id: 'run_0123456789abcdef',
    session_id: 'session',
  };
}

export function approver(subject: string): Caller {
  return caller(subject, { roles: ['approver'] });
}

export function draft(changes: Partial<ApprovalDraft> = {}): ApprovalDraft {
  return {
    approval_id: `appr_${hex(16)}`,
    call_id: callId(),
    run_id: 'run_0123456789abcdef',
    // A requester of its own for each draft, so that limits bind only the test that is about them.
    requester: principal(`ann-${hex(4)}`),
    gateway: '0123456789abcdef',
    tool: {
      tenant: acme,
      server: 'files',
      raw_name: 'write',
      source: 'mcp',
      family: 'mcp',
      capabilities: ['read', 'write'],
      risk: 3,
      read_only: false,
      destructive: true,
      idempotent: false,
      open_world: false,
      hints_trusted: true,
      enabled: true,
      pinned: true,
      quorum: 1,
      labels: [],
      extractors: { paths: [], hosts: [], recipients: [] },
      secret_pointers: [],
      definition_digest: digestOf('d'),
    },
    tool_name: 'files__write',
    arguments_preview: '{"path":"/workspace/a"}',
    arguments_digest: digestOf('a'),
    reasons: ['writes files'],
    quorum: 1,
    policy_version: 'v1',
    expires_at: Date.now() + 300_000,
    ...changes,
  };
}

export function receipt(changes: Partial<ReceiptBody> = {}): ReceiptBody {
  return {
    at: new Date().toISOString(),
    kind: 'outcome',
    call_id: callId(),
    tenant: acme,
    principal: 'User::"acme/ann"',
    governance: 'on',
    profile: 'minimal',
    outcome: 'completed',
    effect: 'ran',
    ...changes,
  };
}

/** What a gateway asks before it dispatches. */
export function intent({ instance }: { readonly instance: string }, changes: Partial<ReceiptBody> = {}) {
  return { gateway: instance, receipt: receipt({ kind: 'intent', ...changes }) };
}

/** What a gateway asks at stage 7b for this draft. */
export function consumption({ approval_id, call_id, arguments_digest, tool }: ApprovalDraft) {
  const intent = receipt({ kind: 'intent', call_id, approval_id });
  return { approval_id, call_id, arguments_digest, definition_digest: tool.definition_digest, intent };
}
