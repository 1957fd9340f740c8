import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { testConfig } from '@uar/testkit';
import { createLog } from '@uar/telemetry';
import { AppModule } from '../app.module.js';
import { assemble } from '../assembly/assembly.js';
import { ROUTE_ACCESS, ROUTE_SCOPE } from '../http/access.js';
import { openApiDocument } from '../http/openapi.js';
import { routes } from '../http/routes.js';
import { Gateway } from './gateway.fixture.js';
import { entry } from '../domain/call-spec/entry.fixture.js';
import { Neighbours } from './neighbours.fixture.js';

function handlers(): { name: string; handler: object }[] {
  const log = createLog({ service: 'gateway', level: 'silent' });
  const neighbours = new Neighbours(log);
  const config = testConfig({ security: { jwt_secret: 'x'.repeat(32) } });
  const assembly = assemble({ config, log, bus: neighbours.gatewayBus });
  const { controllers = [] } = AppModule.with({
    assembly,
    bus: neighbours.gatewayBus,
    config,
    methodsOf: () => [],
  });
  return controllers.flatMap((controller) =>
    Object.getOwnPropertyNames(controller.prototype)
      .filter((name) => name !== 'constructor')
      .map((name) => ({
        name: `${controller.name}.${name}`,
        handler: controller.prototype[name],
      })),
  );
}

describe('routes', () => {
  it('name who may use them, every one', () => {
    const served = handlers().filter(({ handler }) => Reflect.hasMetadata(PATH_METADATA, handler));
    expect(served.length).toBeGreaterThan(20);
    const open = served.filter(({ handler }) => !Reflect.hasMetadata(ROUTE_ACCESS, handler));
    expect(open.map(({ name }) => name)).toEqual([]);
    const unscoped = served.filter(({ handler }) => !Reflect.hasMetadata(ROUTE_SCOPE, handler));
    expect(unscoped.map(({ name }) => name)).toEqual([]);
  });

  it('are public only where the contract says so', () => {
    const isPublic = Object.values(routes).filter(({ access }) => access.kind === 'public');
    expect(isPublic.flatMap(({ paths }) => paths).filter((it) => !it.startsWith('/.well-known/'))).toEqual([
      '/oauth/callback',
      '/healthz',
      '/readyz',
      '/approvals/sign-in',
      '/approvals/sign-out',
    ]);
  });

  it('need no scope only where they are public, but for their own description', () => {
    const isFree = Object.values(routes).filter(
      ({ access, scope }) => (scope === 'none') !== (access.kind === 'public'),
    );
    expect(isFree.flatMap(({ paths }) => paths)).toEqual(['/openapi.json']);
  });

  it('are all served as they are described', () => {
    const served = handlers().map(({ handler }) => [
      RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler)]?.toLowerCase(),
      Reflect.getMetadata(PATH_METADATA, handler),
    ]);
    for (const { method, paths } of Object.values(routes)) expect(served).toContainEqual([method, paths]);
  });

  it('stand in an OpenAPI 3.1 document with their schemas', () => {
    const document = JSON.parse(JSON.stringify(openApiDocument()));
    expect(document.openapi).toBe('3.1.0');
    const execute = document.paths['/api/tools/{name}/execute'].post;
    expect(Object.keys(execute.requestBody.content['application/json'].schema.properties)).toEqual([
      'arguments',
      'run_id',
      'deadline_ms',
    ]);
    expect(execute.responses['202'].content['application/json'].schema.required).toContain('call_id');
    const operationIds = Object.values<Record<string, { operationId: string }>>(document.paths)
      .flatMap((path) => Object.values(path))
      .map(({ operationId }) => operationId);
    expect(new Set(operationIds).size).toBe(operationIds.length);
  });
});

describe('the HTTP API', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    gateway = await Gateway.start();
  });
  afterEach(() => gateway.stop());

  it('lists what the caller may discover, in pages, with an ETag that holds until something changes', async () => {
    gateway.neighbours.discovers = ({ labels }) => !labels.includes('secret');
    const all = await gateway.ask('GET', '/api/tools');
    const names = (answer: typeof all) =>
      JSON.parse(answer.text).tools.map((it: { name: string }) => it.name);
    expect(names(all)).toEqual(['srv__echo', 'srv__write']);
    expect(JSON.parse(all.text).tools[1]).toMatchObject({
      risk: 'high',
      approval: 'maybe',
      state: 'available',
    });
    const etag = all.headers.get('etag') ?? '';
    const same = await gateway.ask('GET', '/api/tools', { headers: { 'if-none-match': etag } });
    expect([same.status, same.text]).toEqual([304, '']);
    const first = await gateway.ask('GET', '/api/uar/discovery/tools?limit=1');
    const cursor = JSON.parse(first.text).next_cursor;
    expect(names(await gateway.ask('GET', `/api/tools?limit=1&cursor=${cursor}`))).toEqual(['srv__write']);
    expect(names(await gateway.ask('GET', '/api/tools?q=does%20write'))).toEqual(['srv__write']);
    expect(names(await gateway.ask('GET', '/api/tools?server=other'))).toEqual([]);
    expect((await gateway.ask('GET', '/api/tools/srv__hidden')).status).toBe(404);
    gateway.neighbours.catalogChanged([entry('echo')]);
    const changed = await gateway.ask('GET', '/api/tools', { headers: { 'if-none-match': etag } });
    expect([changed.status, names(changed)]).toEqual([200, ['srv__echo']]);
  });

  it('asks the PDP again when policies changed, and not before', async () => {
    let asked = 0;
    gateway.neighbours.discovers = () => ++asked > 0;
    await gateway.ask('GET', '/api/tools');
    await gateway.ask('GET', '/api/tools');
    expect(asked).toBe(3);
    gateway.neighbours.policiesChanged();
    await gateway.ask('GET', '/api/tools');
    expect(asked).toBe(6);
  });

  it('answers 403 where Cedar refuses the action, 503 where nobody decides', async () => {
    gateway.neighbours.may = () => false;
    for (const path of ['/api/tools', '/api/uar/mcp/servers', '/api/uar/mcp/health', '/api/uar/receipts']) {
      const { status, body } = await gateway.ask('GET', path);
      expect([path, status, body['error']?.['code']]).toEqual([path, 403, 'policy_denied']);
    }
    await gateway.neighbours.stopPdp();
    const { status, body, headers } = await gateway.ask('GET', '/api/uar/mcp/servers');
    expect([status, body['error']?.['code'], headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
  });

  it('maps what the registry says of a server to its status', async () => {
    const put = () => gateway.ask('PUT', '/api/uar/mcp/servers/x', { body: {} });
    for (const [kind, status] of [
      ['name_taken', 409],
      ['name_reserved', 409],
      ['bad_name', 400],
      ['bad_shape', 400],
      ['connect_failed', 422],
      ['stdio_not_allowed', 403],
      ['unavailable', 503],
    ] as const) {
      gateway.neighbours.put = () => ({ kind, message: 'why' });
      expect([kind, (await put()).status]).toEqual([kind, status]);
    }
    gateway.neighbours.put = () => ({ kind: 'placeholder_unresolved', missing: ['TOKEN'] });
    expect((await put()).body['error']).toMatchObject({
      code: 'placeholder_unresolved',
      details: { missing: ['TOKEN'] },
    });
    expect((await gateway.ask('PUT', '/api/uar/mcp/servers/x?connect=maybe', { body: {} })).status).toBe(400);
    expect((await gateway.ask('DELETE', '/api/uar/mcp/servers/x')).status).toBe(404);
    expect((await gateway.ask('POST', '/api/uar/mcp/servers/x/reconnect')).status).toBe(404);
  });

  it('lists, exports, reads and verifies receipts', async () => {
    for (let n = 0; n < 3; n += 1) await gateway.execute('srv__echo', { arguments: { n } });
    const page = await gateway.ask('GET', '/api/uar/receipts?limit=2');
    expect(JSON.parse(page.text).receipts.length).toBe(2);
    expect(JSON.parse(page.text).next_cursor).toBe('2');
    const exported = await gateway.ask('GET', '/api/uar/receipts/export');
    expect(exported.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = exported.text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).seq)).toEqual([1, 2, 3]);
    expect((await gateway.ask('GET', '/api/uar/receipts/2')).body['seq']).toBe(2);
    expect((await gateway.ask('GET', '/api/uar/receipts/9')).status).toBe(404);
    expect((await gateway.ask('GET', '/api/uar/receipts/x')).status).toBe(404);
    expect((await gateway.ask('GET', '/api/uar/receipts/verify')).body).toMatchObject({
      ok: true,
      length: 3,
    });
  });

  it('serves its own description to whoever has a token', async () => {
    expect((await gateway.ask('GET', '/openapi.json', { token: null })).status).toBe(401);
    expect((await gateway.ask('GET', '/openapi.json')).body['openapi']).toBe('3.1.0');
  });
});
