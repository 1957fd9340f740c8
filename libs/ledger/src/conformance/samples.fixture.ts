import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CallId,
  TenantId,
  type ApprovalDraft,
  type Principal,
  type ReceiptBody,
  type ToolFacts,
} from '@uar/contracts';
import { createSeal } from '@uar/keys';
import type { FileLedgerOptions } from '../open-ledger.js';

export const acme = TenantId.parse('acme');
export const beta = TenantId.parse('beta');
export const startOfTime = Date.parse('2026-11-30T12:00:00.000Z');

export function callId(): CallId {
  return CallId.parse(`call_${randomBytes(16).toString('hex')}`);
}

export function digestOf(letter: string): string {
  return `sha256:${letter.repeat(64)}`;
}

export function principal(subject: string, tenant = acme): Principal {
  return {
    issuer: 'https://idp.example',
    subject,
    tenant,
    kind: 'user',
    roles: ['user'],
    groups: [],
    scopes: [],
    mfa: true,
    claims: {},
    expires_at: startOfTime + 3_600_000,
  };
}

const toolFacts: ToolFacts = {
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
};

export function draft(changes: Partial<ApprovalDraft> = {}): ApprovalDraft {
  return {
    approval_id: `appr_${randomBytes(16).toString('hex')}`,
    call_id: callId(),
    run_id: 'run_0123456789abcdef',
    requester: principal('ann'),
    gateway: '0123456789abcdef',
    tool: toolFacts,
    tool_name: 'files__write',
    arguments_preview: '{"path":"/workspace/a"}',
    arguments_digest: digestOf('a'),
    reasons: ['writes files'],
    quorum: 1,
    policy_version: 'v1',
    expires_at: startOfTime + 300_000,
    ...changes,
  };
}

export function receipt(changes: Partial<ReceiptBody> = {}): ReceiptBody {
  return {
    at: new Date(startOfTime).toISOString(),
    kind: 'outcome',
    call_id: callId(),
    tenant: acme,
    principal: 'User::"acme/ann"',
    tool: { server: 'files', raw_name: 'write', definition_digest: digestOf('d') },
    arguments_digest: digestOf('a'),
    governance: 'on',
    profile: 'minimal',
    outcome: 'completed',
    effect: 'ran',
    ...changes,
  };
}

/** A folder of its own with everything a ledger needs; `remove` takes it away again. */
export function ledgerFolder(): { options: FileLedgerOptions & { headsFile: string }; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'uar-ledger-'));
  return {
    options: {
      file: join(folder, 'ledger.db'),
      headsFile: join(folder, 'heads.jsonl'),
      seal: createSeal(randomBytes(32).toString('hex')),
      signingKey: generateKeyPairSync('ed25519').privateKey,
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
