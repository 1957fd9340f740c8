// Tools that take their time, as the suite asks for them; to their server a call is a call, and tasks are made of it elsewhere.
import { setTimeout as delay } from 'node:timers/promises';
import { ElicitResultSchema, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { said } from './content.mjs';

const object = (properties) => ({ type: 'object', properties });
const string = { type: 'string' };
/** Longer than a call may take that is answered in place. */
const thinkingMs = 1_000;

async function ask({ sendRequest }, message, properties) {
  const params = { message, requestedSchema: object(properties) };
  const { content = {} } = await sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
  return content;
}

export const taskTools = {
  greet: { inputSchema: object({ name: string }), call: ({ name }) => said(`Hello, ${name}!`) },
  slow_compute: {
    execution: { taskSupport: 'optional' },
    inputSchema: object({ seconds: { type: 'number' }, label: string }),
    async call({ seconds, label }, { signal }) {
      await delay(seconds * 1_000, undefined, { signal });
      return said(`${label} took ${seconds} s`);
    },
  },
  failing_job: {
    execution: { taskSupport: 'required' },
    async call() {
      await delay(thinkingMs);
      return { isError: true, ...said('The job failed') };
    },
  },
  protocol_error_job: {
    execution: { taskSupport: 'optional' },
    async call() {
      await delay(thinkingMs);
      throw new McpError(ErrorCode.InternalError, 'The job broke');
    },
  },
  confirm_delete: {
    execution: { taskSupport: 'optional' },
    inputSchema: object({ filename: string }),
    async call({ filename }, extra) {
      await delay(thinkingMs);
      const { confirm } = await ask(extra, `Delete ${filename}?`, { confirm: { type: 'boolean' } });
      return said(confirm === true ? `${filename} is deleted` : `${filename} is kept`);
    },
  },
  multi_input: {
    execution: { taskSupport: 'optional' },
    async call(_args, extra) {
      await delay(thinkingMs);
      const names = await Promise.all(
        ['first', 'second'].map((which) => ask(extra, `The ${which} name?`, { name: string })),
      );
      return said(names.map(({ name }) => name).join(', '));
    },
  },
  /** Asks before it takes its time. */
  test_tool_with_task: {
    execution: { taskSupport: 'required' },
    async call(_args, extra) {
      const { name } = await ask(extra, 'What is your name?', { name: string });
      await delay(thinkingMs);
      return said(`Done for ${name}`);
    },
  },
};
