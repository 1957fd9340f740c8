// An MCP server over stdio that writes down each execution, with the digest of its arguments, before it answers.
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const journal = process.env.JOURNAL;
const schema = {
  type: 'object',
  properties: { id: { type: 'string' }, wait_ms: { type: 'integer' } },
  required: ['id'],
};
const tools = [
  {
    name: 'read',
    description: 'reads',
    inputSchema: schema,
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'write',
    description: 'changes something',
    inputSchema: schema,
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  },
];

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const digest = (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

function call({ id, params }) {
  const { id: call, wait_ms: waitMs = 0 } = params.arguments;
  // The arguments of these calls are small and canonical: written again they are the text that was sent.
  const note = {
    kind: 'executed',
    at: Date.now(),
    id: call,
    tool: params.name,
    arguments_digest: digest(JSON.stringify(params.arguments)),
  };
  appendFileSync(journal, `${JSON.stringify(note)}\n`);
  setTimeout(() => send({ id, result: { content: [{ type: 'text', text: `did ${call}` }] } }), waitMs);
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method === 'initialize') {
    const { protocolVersion } = message.params;
    const serverInfo = { name: 'chaos', version: '1.0.0' };
    send({ id: message.id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (message.method === 'tools/list') send({ id: message.id, result: { tools } });
  else if (message.method === 'tools/call') call(message);
  else if (message.id !== undefined && message.method === 'ping') send({ id: message.id, result: {} });
});
