// Tools that ask the client something before they answer.
import { CreateMessageResultSchema, ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { said, text } from './content.mjs';

const object = (properties, required) => ({
  type: 'object',
  properties,
  ...(required === undefined ? {} : { required }),
});
const string = { type: 'string' };
const titled = (word) => [1, 2, 3].map((n) => ({ const: `value${n}`, title: `${word} ${n}` }));
const options = ['option1', 'option2', 'option3'];

async function elicit({ sendRequest }, message, requestedSchema) {
  const asked = { method: 'elicitation/create', params: { message, requestedSchema } };
  const { action, content = {} } = await sendRequest(asked, ElicitResultSchema);
  return said(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
}

const user = object(
  {
    username: { ...string, description: "User's response" },
    email: { ...string, description: "User's email address" },
  },
  ['username', 'email'],
);

const defaults = object({
  name: { ...string, default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { ...string, enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
});

const choices = object({
  untitledSingle: { ...string, enum: options },
  titledSingle: { ...string, oneOf: titled('Option') },
  legacyEnum: {
    ...string,
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { ...string, enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
});

export const askingTools = {
  test_sampling: {
    inputSchema: object({ prompt: string }, ['prompt']),
    async call({ prompt }, { sendRequest }) {
      const params = { messages: [{ role: 'user', content: text(prompt) }], maxTokens: 100 };
      const { content } = await sendRequest(
        { method: 'sampling/createMessage', params },
        CreateMessageResultSchema,
      );
      return said(`LLM response: ${content.text}`);
    },
  },
  test_elicitation: {
    inputSchema: object({ message: string }, ['message']),
    call: ({ message }, extra) => elicit(extra, message, user),
  },
  test_elicitation_sep1034_defaults: {
    call: (_args, extra) => elicit(extra, 'Values or defaults', defaults),
  },
  test_elicitation_sep1330_enums: { call: (_args, extra) => elicit(extra, 'Choices of every form', choices) },
};
