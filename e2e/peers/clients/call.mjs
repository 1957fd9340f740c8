// `node call.mjs LIBRARY URL TOKEN TOOL ARGUMENTS`: lists and calls through a client library, prints `{ tools, result }`.
const bearer = (token) => ({ Authorization: `Bearer ${token}` });

const libraries = {
  async 'ai-sdk'({ url, token, name, args }) {
    const { experimental_createMCPClient: createClient } = await import('@ai-sdk/mcp');
    const client = await createClient({ transport: { type: 'http', url, headers: bearer(token) } });
    const tools = await client.tools();
    const result = await tools[name].execute(args, { toolCallId: 'one', messages: [] });
    await client.close();
    return { tools: Object.keys(tools), result };
  },
  async langchain({ url, token, name, args }) {
    const { MultiServerMCPClient } = await import('@langchain/mcp-adapters');
    const uar = { transport: 'http', url, headers: bearer(token) };
    const client = new MultiServerMCPClient({ mcpServers: { uar } });
    const tools = await client.getTools();
    const result = await tools.find((tool) => tool.name === name).invoke(args);
    await client.close();
    return { tools: tools.map((tool) => tool.name), result };
  },
  async 'openai-agents'({ url, token, name, args }) {
    const { MCPServerStreamableHttp } = await import('@openai/agents');
    const server = new MCPServerStreamableHttp({ url, name: 'uar', requestInit: { headers: bearer(token) } });
    await server.connect();
    const tools = await server.listTools();
    const result = await server.callTool(name, args);
    await server.close();
    return { tools: tools.map((tool) => tool.name), result };
  },
};

const [library, url, token, name, text] = process.argv.slice(2);
const told = await libraries[library]({ url, token, name, args: JSON.parse(text) });
process.stdout.write(`${JSON.stringify(told)}\n`);
