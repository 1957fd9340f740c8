import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Budget, BudgetSpent } from './budget.js';
import { patternsWithin } from './patterns.js';
import { schemaBounds, walkSchema } from './schema-walk.js';
import type { Checked, ShapeError } from '../../domain/call/ports.js';

/** A schema that is in force for one definition; runs synchronously and within bounds. */
export type Validator = (value: unknown) => Checked;

const checkpoint = 'x-uar-checkpoint';
const checkMs = 50;
const patternSteps = 20_000_000;
const mostErrors = 20;

/** Schemas within a schema, which is what compiling it costs; nothing for one that is refused without being compiled. */
export function weightOf(schemaText: string | undefined): number {
  if (schemaText === undefined || Buffer.byteLength(schemaText) > schemaBounds.bytes) return 0;
  const schema: unknown = JSON.parse(schemaText);
  const walked = isObject(schema) ? walkSchema(schema) : undefined;
  return walked?.kind === 'walked' ? walked.schemas.length : 0;
}

/** JSON Schema 2020-12, or draft-07 where the schema says so. Never throws: what cannot be compiled checks nothing. */
export function compileSchema(schemaText: string | undefined): Validator {
  if (schemaText === undefined) return () => ({ kind: 'fits' });
  if (Buffer.byteLength(schemaText) > schemaBounds.bytes) return uncheckable('schema_too_long');
  const schema: unknown = JSON.parse(schemaText);
  if (typeof schema === 'boolean') return schema ? () => ({ kind: 'fits' }) : uncheckable('schema_false');
  if (!isObject(schema)) return uncheckable('schema_not_an_object');
  const walked = walkSchema(schema);
  if (walked.kind === 'beyond') return uncheckable(walked.cause);
  for (const referring of walked.referring) referring[checkpoint] = true;
  const isOld = /draft-0[4-7]/.test(String(schema['$schema']));
  delete schema['$schema'];
  const budget = new Budget({ checkMs, patternSteps });
  try {
    return bounded(ajvFor(isOld, budget).compile(schema), budget);
  } catch {
    return uncheckable('schema_does_not_compile');
  }
}

function ajvFor(isOld: boolean, budget: Budget): Ajv {
  const options: Options = {
    strict: false,
    validateSchema: false,
    // Annotations in 2020-12; and no pattern of anybody's runs on the platform's own engine.
    validateFormats: false,
    allErrors: false,
    // `constructor` and its like are members like any other.
    ownProperties: true,
    inlineRefs: false,
    addUsedSchema: false,
    logger: false,
    // Ajv's optimizer is quadratic in the number of properties.
    code: { regExp: patternsWithin(budget), optimize: false },
  };
  const ajv = isOld ? new Ajv(options) : new Ajv2020(options);
  ajv.addKeyword({
    keyword: checkpoint,
    validate: () => {
      budget.checkpoint();
      return true;
    },
  });
  return ajv;
}

function bounded(validate: ValidateFunction, budget: Budget): Validator {
  return (value) => {
    budget.begin();
    try {
      if (validate(value) === true) return { kind: 'fits' };
    } catch (error) {
      if (error instanceof BudgetSpent) return { kind: 'uncheckable', cause: 'schema_too_costly' };
      if (error instanceof RangeError) return { kind: 'uncheckable', cause: 'schema_endless' };
      throw error;
    }
    return { kind: 'does_not_fit', errors: shapeErrors(validate) };
  };
}

function shapeErrors({ errors }: ValidateFunction): ShapeError[] {
  return (errors ?? []).slice(0, mostErrors).map(({ instancePath, message, params, keyword }) => {
    const extra: unknown = keyword === 'additionalProperties' ? params['additionalProperty'] : undefined;
    const member = typeof extra === 'string' ? `: ${JSON.stringify(extra.slice(0, 64))}` : '';
    return { path: instancePath, message: `${message ?? 'does not fit'}${member}` };
  });
}

function uncheckable(cause: string): Validator {
  return () => ({ kind: 'uncheckable', cause });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
