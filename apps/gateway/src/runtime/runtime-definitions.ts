import { z } from 'zod';
import type { RuntimeTool } from './runtime-tools.js';

const Shape = z.looseObject({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
});

/** The MCP tool object of a route: its input is what the route takes in its path, its query and its body. */
export function definitionOf(name: string, tool: RuntimeTool): string {
  const { route, path = {}, changes = false } = tool;
  const parameters = Object.values(path);
  const query = route.query === undefined ? undefined : shapeOf(route.query, 'output');
  const body = route.body === undefined ? undefined : shapeOf(route.body, 'input');
  return JSON.stringify({
    name,
    title: route.summary,
    description: `${route.summary} (${route.method.toUpperCase()} ${route.paths[0]}).`,
    inputSchema: {
      type: 'object',
      properties: {
        ...Object.fromEntries(parameters.map((each) => [each, { type: 'string', maxLength: 128 }])),
        ...query?.properties,
        ...body?.properties,
      },
      required: [...parameters, ...(body?.required ?? [])],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: !changes,
      destructiveHint: false,
      idempotentHint: route.method === 'get',
      openWorldHint: false,
    },
  });
}

/** `output` of a query, whose numbers come as text. */
function shapeOf(schema: z.ZodType, io: 'input' | 'output'): z.output<typeof Shape> {
  return Shape.parse(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
}
