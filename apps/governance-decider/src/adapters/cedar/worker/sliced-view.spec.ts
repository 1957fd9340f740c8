import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { initSync, preparseSchema, schemaToJsonWithResolvedTypes } from '@cedar-policy/cedar-wasm/web';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CedarQuestion } from '../../../domain/cedar/cedar.js';
import type { Slice } from '../../../domain/policy/slices.js';
import { compileCedar } from '../engine.js';
import { someQuestion, shippedFolder } from '../questions.fixture.js';
import { viewOf } from './sliced-view.mjs';

let schema: Record<string, unknown>;
beforeAll(async () => {
  initSync({ module: await compileCedar() });
  const read = schemaToJsonWithResolvedTypes(
    await readFile(join(shippedFolder, 'schema.cedarschema'), 'utf8'),
  );
  if (read.type === 'failure') throw new Error('the schema cannot be read');
  schema = read.json as Record<string, unknown>;
});

function slice(change: Partial<Slice> = {}): Slice {
  return {
    ...{ action: 'callTool', part: 'whole', isSteady: false, policies: [] },
    ...{ attributes: [], wholes: [], readsTags: false, members: {} },
    ...{ named: [], anyAncestor: false },
    ...change,
  };
}

function sliced(change: Partial<Slice>, question: CedarQuestion = { ...someQuestion(), action: 'callTool' }) {
  const view = viewOf(schema, slice(change));
  if (view === undefined) throw new Error('no view');
  expect(preparseSchema(`view ${JSON.stringify(change)}`, view.schema)).toEqual({ type: 'success' });
  return view.slice(question);
}

const tool = (question: CedarQuestion) => question.entities.find(({ uid }) => uid.type === 'UAR::Tool');

describe('a view of the questions of one action', () => {
  it('has no attribute that no policy reads, and those that one reads', () => {
    const found = sliced({ attributes: ['riskTier', 'args', 'lossless'] });
    expect(tool(found)?.attrs).toEqual({ riskTier: 0 });
    expect(found.context).toEqual({ args: { lossless: true } });
  });

  it('keeps what the schema does not know, so that it is refused', () => {
    const question = { ...someQuestion(), action: 'callTool' };
    const context = { ...question.context, approval: { count: 9 } };
    expect(sliced({}, { ...question, context }).context).toEqual({ approval: { count: 9 } });
  });

  it('has the bag that a policy reads and no other', () => {
    const types = (change: Partial<Slice>) => sliced(change).entities.map(({ uid }) => uid.type);
    expect(types({ attributes: ['args', 's'] })).toContain('UAR::ArgStr');
    expect(types({ attributes: ['args', 's'] })).not.toContain('UAR::ArgLong');
    expect(types({ named: [{ type: 'UAR::ArgLong', id: 'args' }] })).toContain('UAR::ArgLong');
  });

  it('has the ancestors that are named, or all where any may count', () => {
    const parents = (change: Partial<Slice>) => tool(sliced(change))?.parents.map(({ type }) => type);
    expect(parents({})).not.toContain('UAR::Server');
    expect(parents({ named: [{ type: 'UAR::Server', id: 'default/warm-up' }] })).toContain('UAR::Server');
    expect(parents({ anyAncestor: true })).toContain('UAR::Server');
  });

  it('keeps the way to a named ancestor through entities that nobody reads', () => {
    const question = { ...someQuestion(), action: 'callTool' };
    const [server, tenant] = [
      { type: 'UAR::Server', id: 'default/warm-up' },
      { type: 'UAR::Tenant', id: 'far' },
    ] as const;
    const between = { uid: server, attrs: {}, parents: [tenant] };
    const found = sliced({ named: [tenant] }, { ...question, entities: [...question.entities, between] });
    expect(tool(found)?.parents).toContainEqual(server);
    expect(found.entities).toContainEqual(between);
  });

  it('leaves out what leads nowhere that is read', () => {
    const question = { ...someQuestion(), action: 'callTool' };
    const tenant = { type: 'UAR::Tenant', id: 'far' } as const;
    const beside = { uid: { type: 'UAR::Prompt', id: 'default/x' }, attrs: {}, parents: [tenant] } as const;
    const found = sliced({ named: [tenant] }, { ...question, entities: [...question.entities, beside] });
    expect(found.entities).not.toContainEqual(beside);
  });

  it('is about any resource, until a policy can tell that one from others', () => {
    const question = { ...someQuestion(), action: 'callTool' };
    const any = { type: 'UAR::Tool', id: 'any' };
    expect(sliced({}, question).resource).toEqual(any);
    expect(tool(sliced({}, question))?.uid).toEqual(any);
    const other = { type: 'UAR::Tool', id: 'default/other' } as const;
    const referred = sliced({ attributes: ['tool'] }, question);
    for (const found of [sliced({ named: [other] }, question), referred]) {
      expect(found.resource).toEqual(question.resource);
      expect(tool(found)?.uid).toEqual(question.resource);
    }
    const two = { ...question, entities: [...question.entities, { uid: other, attrs: {}, parents: [] }] };
    expect(sliced({}, two).resource).toEqual(question.resource);
  });

  it('is none where a record or the context is used as a whole', () => {
    for (const whole of ['*', 'env', 'args', 'facts'])
      expect(viewOf(schema, slice({ attributes: [whole], wholes: [whole] }))).toBeUndefined();
    expect(viewOf(schema, slice({ attributes: ['mfa'], wholes: ['mfa'] }))).toBeDefined();
  });
});
