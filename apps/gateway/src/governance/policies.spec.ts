import type { Bus } from '@uar/bus';
import {
  listPolicyVersions,
  listProposals,
  proposePolicies,
  readPolicies,
  readPolicySchema,
  readProposal,
  validatePolicies,
  withdrawProposal,
  writePolicies,
  type AnswerOf,
  type AskOf,
  type PoliciesView,
  type PolicyProposalView,
} from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openApiDocument } from '../http/openapi.js';
import { policyRoutes } from './policy-routes.js';
import { Gateway } from '../http-spec/gateway.fixture.js';

const log = createLog({ service: 'gateway', level: 'silent' });
const version = `sha256:${'a'.repeat(64)}`;
const proposal_id = `prop_${'b'.repeat(32)}`;
const base = '/api/uar/governance';
const view: PoliciesView = {
  ...{ version, drift: false, source: 'api', problems: [] },
  policies: [{ id: 't/a', tier: 'tenant', text: 'forbid (principal, action, resource);', annotations: {} }],
};
const findings = {
  errors: [{ policy_id: 't/a', message: 'unknown attribute', line: 2, column: 3, suggestion: 'readOnly' }],
  warnings: [],
};
const proposal: PolicyProposalView = {
  ...{ proposal_id, author: 'User::"default/ada"', at: '2026-11-30T00:00:00.000Z', if_version: version },
  differences: { added: ['t/a'], removed: [], changed: [] },
};

let gateway: Gateway;
let pdp: Bus;
let writes: AskOf<typeof writePolicies>[];
let written: AnswerOf<typeof writePolicies>;

beforeEach(async () => {
  gateway = await Gateway.start();
  [writes, written] = [[], { kind: 'written', view }];
  pdp = gateway.neighbours.hub.connect({ service: 'governance-decider', log });
  pdp.answer(writePolicies, (ask) => {
    writes.push(ask);
    return written;
  });
});
afterEach(async () => {
  await pdp.close();
  await gateway.stop();
});

const put = (body: unknown) => gateway.ask('PUT', `${base}/policies`, { body });

describe('writing policies', () => {
  it('hands texts, a proposal or an earlier version to the decider, with who asks', async () => {
    const policies = { 't/a': 'forbid (principal, action, resource);' };
    const answer = await put({ policies, if_version: version });
    expect([answer.status, answer.body]).toEqual([200, view]);
    await put({ proposal_id, if_version: version, dry_run: true });
    await put({ version, if_version: 'none' });
    const gone = await gateway.ask('DELETE', `${base}/policies`, { body: { if_version: version } });
    expect(gone.status).toBe(200);
    expect(writes.map(({ change, if_version, dry_run }) => ({ change, if_version, dry_run }))).toEqual([
      { change: { kind: 'texts', policies }, if_version: version, dry_run: false },
      { change: { kind: 'proposal', proposal_id }, if_version: version, dry_run: true },
      { change: { kind: 'version', version }, if_version: 'none', dry_run: false },
      { change: { kind: 'folder' }, if_version: version, dry_run: false },
    ]);
    expect(writes[0]?.caller).toMatchObject({
      principal: { subject: 'ada', tenant: 'default' },
      channel: 'interactive',
    });
  });

  it.each([
    ['no version to compare with', { policies: {} }],
    ['nothing to write', { if_version: version }],
    ['two things to write', { policies: {}, proposal_id, if_version: version }],
    ['a text that is none', { policies: { 't/a': 1 }, if_version: version }],
    ['a member that is not known', { policies: {}, if_version: version, force: true }],
    ['more text than is ever taken', { policies: { 't/a': 'x'.repeat(2_200_000) }, if_version: version }],
  ])('refuses %s before the decider is asked', async (_what, body) => {
    const answer = await put(body);
    expect([answer.status, answer.body['error']?.['code']]).toEqual([400, 'bad_request']);
    expect(writes).toEqual([]);
  });

  it('names the member that is missing, and refuses one that would be left out without a word', async () => {
    const missing = await put({ policies: {} });
    expect([missing.status, missing.text]).toEqual([400, expect.stringContaining('/if_version')]);
    const raw = `{"policies":{"__proto__":"permit"},"if_version":"${version}"}`;
    const prototype = await gateway.ask('PUT', `${base}/policies`, { raw });
    expect([prototype.status, prototype.text]).toEqual([400, expect.stringContaining('__proto__')]);
    expect(writes).toEqual([]);
  });

  it('asks for a token first, and leaves the question of Cedar to the decider', async () => {
    gateway.neighbours.may = () => false;
    const body = { policies: {}, if_version: version };
    expect((await gateway.ask('PUT', `${base}/policies`, { body, token: null })).status).toBe(401);
    expect(writes).toEqual([]);
    written = { kind: 'denied' };
    const answer = await put(body);
    expect([answer.status, answer.body['error']?.['code']]).toEqual([403, 'policy_denied']);
    expect(writes.length).toBe(1);
  });

  it.each<[AnswerOf<typeof writePolicies>, number, string, unknown]>([
    [{ kind: 'invalid', findings }, 422, 'policies_invalid', findings],
    [{ kind: 'conflict', version }, 409, 'version_conflict', { version }],
    [{ kind: 'busy', retry_after_ms: 1_500 }, 429, 'rate_limited', { retry_after_ms: 1_500 }],
    [{ kind: 'not_found', message: 'No.' }, 404, 'not_found', undefined],
    [{ kind: 'off' }, 422, 'governance_off', undefined],
    [{ kind: 'unavailable', cause: 'ledger' }, 503, 'unavailable', undefined],
    [{ kind: 'not_yet_active', cause: 'engine' }, 503, 'not_yet_active', undefined],
  ])('answers %j with a status and a code of its own', async (answer, status, code, details) => {
    written = answer;
    const { status: found, body } = await put({ policies: {}, if_version: version });
    expect([found, body['error']?.['code'], body['error']?.['details']]).toEqual([status, code, details]);
  });

  it('answers 503 where no decider is', async () => {
    await pdp.close();
    await gateway.neighbours.stopPdp();
    expect((await put({ policies: {}, if_version: version })).status).toBe(503);
  });
});

describe('reading policies', () => {
  it('shows what is in force, its versions, the schema and the proposals', async () => {
    pdp.answer(readPolicies, () => ({ kind: 'read', view }));
    const one = { version, at: proposal.at, source: 'api' as const, policies: 3, active: true };
    pdp.answer(listPolicyVersions, () => ({ kind: 'listed', versions: [one] }));
    pdp.answer(readPolicySchema, () => ({ kind: 'read', view: { schema: 'entity User;', catalog: null } }));
    pdp.answer(listProposals, () => ({ kind: 'listed', proposals: [proposal] }));
    pdp.answer(readProposal, () => ({ kind: 'found', proposal, policies: { 't/a': 'x' } }));
    const get = async (path: string) => (await gateway.ask('GET', `${base}${path}`)).body;
    expect(await get('/policies')).toEqual(view);
    expect(await get('/policies/versions')).toEqual({ versions: [one] });
    expect(await get('/schema')).toEqual({ schema: 'entity User;', catalog: null });
    expect(await get('/proposals')).toEqual({ proposals: [proposal] });
    expect(await get(`/proposals/${proposal_id}`)).toEqual({ ...proposal, policies: { 't/a': 'x' } });
  });

  it('tells whether texts would be taken, with place and what was meant', async () => {
    pdp.answer(validatePolicies, () => ({ kind: 'checked', findings }));
    const { status, body } = await gateway.ask('POST', `${base}/validate`, { body: { policies: {} } });
    expect([status, body]).toEqual([200, { valid: false, ...findings }]);
  });

  it('takes a proposal, and takes it back', async () => {
    pdp.answer(proposePolicies, () => ({ kind: 'proposed', proposal }));
    pdp.answer(withdrawProposal, () => ({ kind: 'denied' }));
    const body = { policies: { 't/a': 'x' }, if_version: version };
    const answer = await gateway.ask('POST', `${base}/proposals`, { body });
    expect([answer.status, answer.body]).toEqual([201, proposal]);
    expect((await gateway.ask('DELETE', `${base}/proposals/${proposal_id}`)).status).toBe(403);
  });
});

describe('the routes of policies', () => {
  it('each name the action of Cedar that they ask, and when', () => {
    const asks = Object.entries(policyRoutes).map(([name, { access }]) => [name, access]);
    expect(Object.fromEntries(asks)).toMatchObject({
      readPolicies: { kind: 'governed', action: 'readPolicies' },
      putPolicies: { kind: 'deferred', action: 'managePolicies' },
      deletePolicies: { kind: 'deferred', action: 'managePolicies' },
      validatePolicies: { kind: 'governed', action: 'readPolicies' },
      proposePolicies: { kind: 'governed', action: 'proposePolicies' },
      readPolicySchema: { kind: 'governed', action: 'readPolicies' },
    });
    const { paths } = JSON.parse(JSON.stringify(openApiDocument()));
    expect(paths[`${base}/policies`].put['x-access']).toEqual({ kind: 'deferred', action: 'managePolicies' });
  });

  it('are closed to whom Cedar refuses them', async () => {
    gateway.neighbours.may = () => false;
    const statuses = [];
    for (const path of ['/policies', '/policies/versions', '/schema', '/proposals'])
      statuses.push((await gateway.ask('GET', `${base}${path}`)).status);
    for (const path of ['/validate', '/proposals'])
      statuses.push((await gateway.ask('POST', `${base}${path}`, { body: { policies: {} } })).status);
    expect(new Set(statuses)).toEqual(new Set([403]));
  });
});
