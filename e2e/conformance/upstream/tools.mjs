import { setTimeout as delay } from 'node:timers/promises';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { askingTools } from './asking-tools.mjs';
import { taskTools } from './task-tools.mjs';
import { image, said, text, wav } from './content.mjs';
import { roundTools } from './rounds.mjs';

const nothing = { type: 'object', properties: {} };
const betweenMs = 50;

const schema2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** Its argument is repeated in a header of the request (MCP 2026-07-28, "Mcp-Param"). */
const inHeader = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
};

const resource = (uri, mimeType, value) => ({ type: 'resource', resource: { uri, mimeType, text: value } });

const tools = {
  test_simple_text: { call: () => said('This is a simple text response for testing.') },
  test_image_content: { call: () => ({ content: [image] }) },
  test_audio_content: { call: () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }) },
  test_embedded_resource: {
    call: () => ({
      content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
    }),
  },
  test_multiple_content_types: {
    call: () => ({
      content: [
        text('Multiple content types test:'),
        image,
        resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    }),
  },
  test_tool_with_logging: { call: logThrice },
  test_logging_tool: { call: logThrice },
  test_tool_with_header: { inputSchema: inHeader, call: ({ region }) => said(`Region: ${region}`) },
  test_tool_with_progress: { call: progressThrice },
  test_error_handling: {
    call: () => ({ isError: true, ...said('This tool intentionally returns an error for testing') }),
  },
  test_reconnection: {
    async call(_args, { closeSSEStream }) {
      closeSSEStream?.();
      await delay(300);
      return said('Reconnection test completed');
    },
  },
  json_schema_2020_12_tool: { inputSchema: schema2020, call: (args) => said(JSON.stringify(args)) },
  ...askingTools,
  ...roundTools,
  ...taskTools,
};

async function logThrice(_args, { sendNotification }) {
  for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await sendNotification({
      method: 'notifications/message',
      params: { level: 'info', logger: 'conformance', data },
    });
    await delay(betweenMs);
  }
  return said('Tool with logging executed successfully');
}

async function progressThrice(_args, { _meta: { progressToken } = {}, sendNotification }) {
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined)
      await sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      });
    await delay(betweenMs);
  }
  return said(String(progressToken));
}

export function serveTools(server) {
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(tools).map(([name, { inputSchema = nothing, execution }]) => ({
      name,
      description: `What the suite calls ${name}`,
      inputSchema,
      ...(execution !== undefined && { execution }),
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: args = {} } }, extra) => {
    if (!Object.hasOwn(tools, name)) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${name}`);
    return tools[name].call(args, extra, server.getClientCapabilities() ?? {});
  });
}
