import {
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { image, text } from './content.mjs';
import { roundPrompt } from './rounds.mjs';

const user = (content) => ({ role: 'user', content });
const needed = (...names) => names.map((name) => ({ name, description: `The ${name}`, required: true }));

const prompts = {
  test_simple_prompt: { get: () => [user(text('This is a simple prompt for testing.'))] },
  test_prompt_with_arguments: {
    arguments: needed('arg1', 'arg2'),
    get: ({ arg1, arg2 }) => [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  },
  test_prompt_with_embedded_resource: {
    arguments: needed('resourceUri'),
    get: ({ resourceUri: uri }) => [
      user({
        type: 'resource',
        resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
      }),
      user(text('Please process the embedded resource above.')),
    ],
  },
  test_prompt_with_image: {
    get: () => [user(image), user(text('Please analyze the image above.'))],
  },
  test_input_required_result_prompt: roundPrompt,
};

export function servePrompts(server) {
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: Object.entries(prompts).map(([name, { arguments: args }]) => ({
      name,
      description: `What the suite gets as ${name}`,
      ...(args === undefined ? {} : { arguments: args }),
    })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }, extra) => {
    const { name, arguments: args = {} } = params;
    if (!Object.hasOwn(prompts, name))
      throw new McpError(ErrorCode.InvalidParams, `There is no prompt ${name}`);
    return { messages: await prompts[name].get(args, extra) };
  });
}
