import { ErrorBody } from '@uar/contracts';
import { z } from 'zod';
import type { Route } from './route.js';
import { routes } from './routes.js';

type Json = Record<string, unknown>;

/** The HTTP API as an OpenAPI 3.1 document, made from the schemas that check requests. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries<Route>(routes))
    for (const path of route.paths) {
      const shown = path.replace(/:(\w+)/g, '{$1}');
      const operationId = path === route.paths[0] ? name : `${name}At${route.paths.indexOf(path)}`;
      paths[shown] = { ...paths[shown], [route.method]: operation(operationId, route, shown) };
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'UAR tool plane',
      version: '0.1.0',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { ErrorBody: schemaOf(ErrorBody, 'output') },
    },
  };
}

function operation(operationId: string, route: Route, path: string): Json {
  const parameters = [...pathParameters(path), ...headerParameters(route), ...queryParameters(route)];
  return {
    operationId,
    summary: route.summary,
    'x-access': route.access,
    ...security(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: requestBody(route.body, route.bodyMedia) }),
    responses: responses(route),
  };
}

/** OpenAPI 3.1 lets a requirement of a bearer scheme name what the token must be good for. */
function security({ access, scope }: Route): Json {
  if (access.kind === 'public') return { security: [] };
  return scope === 'none' ? {} : { security: [{ bearer: [scope] }] };
}

function requestBody(body: z.ZodType, media = 'application/json'): Json {
  return { required: true, content: { [media]: { schema: schemaOf(body, 'input') } } };
}

function responses(route: Route): Json {
  const media = route.media ?? 'application/json';
  const good = Object.entries(route.answers).map(([status, schema]) => [
    status,
    {
      description: route.summary,
      ...(schema === null ? {} : { content: { [media]: { schema: schemaOf(schema, 'output') } } }),
    },
  ]);
  const usual = route.access.kind === 'public' ? [] : [400, 401, 403, 503];
  if (route.hasLane === true || route.isConnection === true) usual.push(429);
  const bad = [...new Set([...usual, ...(route.errors ?? [])])]
    .filter((status) => route.answers[status] === undefined)
    .map((status) => [
      String(status),
      {
        description: 'Refused',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
      },
    ]);
  return Object.fromEntries([...good, ...bad]);
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function headerParameters({ headers = {} }: Route): Json[] {
  return Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  }));
}

function queryParameters({ query }: Route): Json[] {
  if (!(query instanceof z.ZodObject)) return [];
  return Object.entries(query.shape).map(([name, schema]) => ({
    name,
    in: 'query',
    schema: schemaOf(asType(schema), 'input'),
  }));
}

function asType(schema: unknown): z.ZodType {
  return schema instanceof z.ZodType ? schema : z.unknown();
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const made: Json = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  delete made['$schema'];
  return made;
}
