// @ts-check
// Plain JavaScript, so that the same file is loaded from the sources and from dist: worker threads get no transpiler.
import { parentPort, workerData } from 'node:worker_threads';
import {
  initSync,
  policyToJson,
  preparsePolicySet,
  preparseSchema,
  checkParseSchema,
  statefulIsAuthorized,
  validate,
} from '@cedar-policy/cedar-wasm/web';
import { PreparedViews } from './prepared-views.mjs';

/** @typedef {import('./worker-protocol.js').WorkerTask} WorkerTask */
/** @typedef {import('./worker-protocol.js').WorkerResult} WorkerResult */
/** @typedef {import('./worker-protocol.js').WorkerStart} WorkerStart */
/** @typedef {import('../../../domain/cedar/cedar.js').RawAnswer} RawAnswer */
/** @typedef {import('../../../domain/cedar/cedar.js').CedarQuestion} CedarQuestion */
/** @typedef {import('../../../domain/policy/laboratory.js').Finding} Finding */
/** @typedef {import('@cedar-policy/cedar-wasm/web').StatefulAuthorizationCall} Call */
/** @typedef {import('@cedar-policy/cedar-wasm/web').DetailedError} DetailedError */

const port = parentPort;
if (port === null) throw new Error('runs as a worker thread only');
/** @type {WorkerStart} */
const start = workerData;
const { memory } = initSync({ module: start.module });
const warmUpRounds = 3;

let throws = 0;
/** Name of the preparsed schema per installed set. @type {Map<string, string>} */
const schemaNames = new Map();
const views = new PreparedViews();

/** @param {readonly DetailedError[]} errors */
const textOf = (errors) =>
  errors.map(({ message, help }) => (help === null ? message : `${message} (${help})`)).join('; ');

/** @param {unknown} error */
const thrown = (error) => {
  throws += 1;
  return String(error);
};

/**
 * @param {string} set
 * @param {CedarQuestion} question
 * @returns {RawAnswer}
 */
function answer(set, question) {
  const schemaName = schemaNames.get(set);
  if (schemaName === undefined) return { kind: 'lost', cause: 'engine_unavailable' };
  try {
    const view = views.find(set, question);
    // The whole is no answer to a question about a part: it would be remembered as one.
    if (view === undefined && question.part !== undefined)
      return { kind: 'lost', cause: 'engine_unavailable' };
    const asked = view?.slice(question) ?? question;
    const names = { schemaName: view?.schemaName ?? schemaName, setName: view?.setName ?? set };
    return view?.known.find(asked, () => evaluate(asked, names)) ?? evaluate(asked, names);
  } catch (error) {
    return { kind: 'threw', message: thrown(error) };
  }
}

/**
 * @param {CedarQuestion} question
 * @param {{ schemaName: string, setName: string }} names
 * @returns {RawAnswer}
 */
function evaluate({ principal, action, resource, context, entities }, { schemaName, setName }) {
  const call = /** @type {Call} */ ({
    principal,
    action: { type: 'UAR::Action', id: action },
    resource,
    context,
    entities,
    preparsedSchemaName: schemaName,
    preparsedPolicySetId: setName,
    validateRequest: true,
  });
  const found = statefulIsAuthorized(call);
  if (found.type === 'failure') return { kind: 'invalid', message: textOf(found.errors) };
  const { decision, diagnostics } = found.response;
  const errors = diagnostics.errors.map(({ policyId }) => policyId);
  return { kind: 'decided', decision, reasons: diagnostics.reason, errors };
}

/** @param {RawAnswer} found */
const isYes = (found) =>
  found.kind === 'decided' &&
  found.decision === 'allow' &&
  found.errors.length === 0 &&
  found.reasons.length > 0;

/**
 * @param {Extract<WorkerTask, { op: 'ask' }>} batch
 * @returns {RawAnswer[]}
 */
function answerAll({ set, questions, stopAtRefusal }) {
  let isRefused = false;
  return questions.map((question) => {
    if (isRefused && stopAtRefusal) return { kind: 'not_asked' };
    const found = answer(set, question);
    isRefused ||= !isYes(found);
    return found;
  });
}

/**
 * @param {Extract<WorkerTask, { op: 'install' }>} ask
 * @returns {WorkerResult}
 */
function install({ version, schemaName, schema, policies, warmUp, slices }) {
  const known = [...schemaNames.values()].includes(schemaName);
  const parsedSchema = known ? { type: 'success' } : preparseSchema(schemaName, schema);
  if (parsedSchema.type === 'failure') return { kind: 'failed', message: 'the schema could not be prepared' };
  const parsed = preparsePolicySet(version, { staticPolicies: policies });
  if (parsed.type === 'failure') return { kind: 'failed', message: textOf(parsed.errors) };
  schemaNames.set(version, schemaName);
  views.prepare({ version, schemaName, schema, policies, slices });
  for (let round = 0; round < warmUpRounds; round += 1)
    for (const question of warmUp) answer(version, question);
  return { kind: 'done' };
}

/**
 * Prepared sets cannot be deleted: an empty one under the same name frees their policies.
 * @param {readonly string[]} versions
 * @returns {WorkerResult}
 */
function retire(versions) {
  for (const version of versions) {
    views.retire(version);
    schemaNames.delete(version);
    preparsePolicySet(version, {});
  }
  return { kind: 'done' };
}

/**
 * One finding per error, and per error that came with it.
 * @param {DetailedError} error
 * @param {boolean} isWarning
 * @returns {Finding[]}
 */
function findingsIn(error, isWarning) {
  const { message, help, sourceLocations, related } = error;
  const at = sourceLocations?.[0];
  const place = at === undefined ? {} : { start: at.start, end: at.end };
  const label = at?.label ?? null;
  const found = {
    ...{ message, isWarning, ...place },
    ...(help === null ? {} : { help }),
    ...(label === null ? {} : { label }),
  };
  return [found, ...(related ?? []).flatMap((other) => findingsIn(other, isWarning))];
}

/**
 * @param {readonly DetailedError[]} errors
 * @returns {Finding}
 */
function firstFinding(errors) {
  const [first] = errors.flatMap((error) => findingsIn(error, false));
  return first ?? { message: 'was refused without a reason', isWarning: false };
}

/**
 * @param {Extract<WorkerTask, { op: 'inspect' }>} ask
 * @returns {WorkerResult}
 */
function inspect({ schema, policies }) {
  const parsedSchema = checkParseSchema(schema);
  if (parsedSchema.type === 'failure') {
    const schemaProblem = firstFinding(parsedSchema.errors);
    return { kind: 'inspected', inspection: { schemaProblem, policies: {}, findings: [] } };
  }
  /** @type {Record<string, string>} */
  const parsed = {};
  const read = Object.entries(policies).map(([id, text]) => {
    const found = policyToJson(text);
    if (found.type === 'failure') return [id, { broken: firstFinding(found.errors) }];
    parsed[id] = text;
    return [id, { json: found.json }];
  });
  return {
    kind: 'inspected',
    inspection: { policies: Object.fromEntries(read), findings: findingsOf(schema, parsed) },
  };
}

/**
 * @param {string} schema
 * @param {Record<string, string>} policies
 */
function findingsOf(schema, policies) {
  const found = validate({ schema, policies: { staticPolicies: policies } });
  if (found.type === 'failure') return [{ policy: '', ...firstFinding(found.errors) }];
  /** @param {{ policyId: string, error: DetailedError }} one */
  const error = ({ policyId, error }) =>
    findingsIn(error, false).map((finding) => ({ policy: policyId, ...finding }));
  /** @param {{ policyId: string, error: DetailedError }} one */
  const warning = ({ policyId, error }) =>
    findingsIn(error, true).map((finding) => ({ policy: policyId, ...finding }));
  return [
    ...found.validationErrors.flatMap(error),
    ...found.validationWarnings.flatMap(warning),
    ...found.otherWarnings.flatMap((other) => warning({ policyId: '', error: other })),
  ];
}

/**
 * @param {WorkerTask} ask
 * @returns {WorkerResult}
 */
function perform(ask) {
  try {
    switch (ask.op) {
      case 'ask':
        return { kind: 'answers', answers: answerAll(ask) };
      case 'install':
        return install(ask);
      case 'retire':
        return retire(ask.versions);
      case 'inspect':
        return inspect(ask);
    }
  } catch (error) {
    return { kind: 'failed', message: thrown(error) };
  }
}

port.on('message', (/** @type {{ id: number, task: WorkerTask }} */ { id, task }) => {
  const result = perform(task);
  port.postMessage({ id, reply: { result, throws, memoryBytes: memory.buffer.byteLength } });
});
