// What the suite wants asked without a session, asked as servers with sessions ask: during the call. Each names what it asks, so that
// a client without a session finds it under that name.
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListRootsResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { said, text } from './content.mjs';

const named = (key, params = {}) => ({ ...params, _meta: { 'io.uar/key': key } });

function elicited({ sendRequest }, key, message, [name, type = 'string']) {
  const requestedSchema = { type: 'object', properties: { [name]: { type } }, required: [name] };
  const params = named(key, { message, requestedSchema });
  return sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
}

function sampled({ sendRequest }, key, prompt) {
  const params = named(key, { messages: [{ role: 'user', content: text(prompt) }], maxTokens: 100 });
  return sendRequest({ method: 'sampling/createMessage', params }, CreateMessageResultSchema);
}

function rooted({ sendRequest }, key) {
  return sendRequest({ method: 'roots/list', params: named(key) }, ListRootsResultSchema);
}

const name = (extra) => elicited(extra, 'user_name', 'What is your name?', ['name']);
const confirm = (extra) => elicited(extra, 'confirm', 'Please confirm', ['ok', 'boolean']);

async function confirmed(_args, extra) {
  const { content } = await confirm(extra);
  return said(`state-ok: ${content?.ok}`);
}

async function greeted(_args, extra) {
  const { content } = await name(extra);
  return said(`Hello, ${content?.name}!`);
}

async function askedAtOnce(_args, extra) {
  const answers = await Promise.all([
    name(extra),
    sampled(extra, 'greeting', 'Generate a greeting'),
    rooted(extra, 'client_roots'),
  ]);
  return said(JSON.stringify(answers));
}

async function askedInTurn(_args, extra) {
  const first = await elicited(extra, 'step1', 'Step 1: What is your name?', ['name']);
  const second = await elicited(extra, 'step2', 'Step 2: What is your favorite color?', ['color']);
  return said(`${first.content?.name} likes ${second.content?.color}`);
}

async function sample(extra, key, prompt) {
  const { content } = await sampled(extra, key, prompt);
  return said(content.text);
}

export const roundTools = {
  test_input_required_result_elicitation: { call: greeted },
  test_input_required_result_sampling: {
    call: (_args, extra) => sample(extra, 'capital_question', 'What is the capital of France?'),
  },
  test_input_required_result_list_roots: {
    async call(_args, extra) {
      const { roots } = await rooted(extra, 'client_roots');
      return said(roots.map(({ uri }) => uri).join(', '));
    },
  },
  test_input_required_result_request_state: { call: confirmed },
  test_input_required_result_tampered_state: { call: confirmed },
  test_input_required_result_multiple_inputs: { call: askedAtOnce },
  test_input_required_result_multi_round: { call: askedInTurn },
  /** Asks what its client can answer, as it declared it. */
  test_input_required_result_capabilities: {
    call: (_args, extra, { sampling }) =>
      sampling === undefined ? greeted(_args, extra) : sample(extra, 'greeting', 'Generate a greeting'),
  },
  test_streaming_elicitation: { call: confirmed },
  /** Does not ask what its client declared, and cannot go on without an answer. */
  test_missing_capability: { call: (_args, extra) => sample(extra, 'greeting', 'Generate a greeting') },
};

export const roundPrompt = {
  async get(_args, extra) {
    const asked = ['context'];
    const { content } = await elicited(extra, 'user_context', 'What context should the prompt use?', asked);
    return [{ role: 'user', content: text(`In the context of ${content?.context}`) }];
  },
};
