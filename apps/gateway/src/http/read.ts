import { ExecuteBody } from '@uar/contracts';
import { compact, scanJson, type Span } from '@uar/json-text';
import type { z } from 'zod';
import { badRequest } from './refusal.js';

/** Bounds of a request body besides its length. Arguments have their own, narrower ones (DESIGN.md 8). */
const bodyBounds = { maxDepth: 64, maxNodes: 50_000 };

const problemTexts = {
  syntax: 'the body is not valid JSON',
  duplicate_member: 'a member stands twice',
  too_deep: `nested deeper than ${bodyBounds.maxDepth}`,
  too_many_nodes: `more than ${bodyBounds.maxNodes} values`,
} as const;

/** Names under which tokens are tried in a query: no such member is ever read, nor worth a refusal. */
const ignoredInQuery = new Set(['access_token', 'token', 'jwt', 'authorization', 'bearer', 'api_key']);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a body, valid within bounds, and the places of its root's members. */
function scanned(body: unknown): { text: string; members: ReadonlyMap<string, Span> } {
  const text = textOf(body);
  const scan = scanJson(text, bodyBounds);
  if (scan.kind === 'ok') return { text, members: scan.members };
  const { problem, pointer, offset } = scan;
  throw badRequest(`${problemTexts[problem]} at ${JSON.stringify(pointer)}`, { problem, pointer, offset });
}

function textOf(body: unknown): string {
  if (!Buffer.isBuffer(body) || body.length === 0) throw badRequest('a JSON body is needed');
  try {
    return utf8.decode(body);
  } catch {
    throw badRequest('the body is not valid UTF-8');
  }
}

export function readBody<S extends z.ZodType>(body: unknown, schema: S): z.output<S> {
  const value: unknown = JSON.parse(scanned(body).text, withoutPrototype);
  return checked(schema, value, 'the body');
}

/** A record would leave this member out without a word. */
function withoutPrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw badRequest('no member may be named __proto__');
  return value;
}

/** Any JSON value, within bounds. */
export function readJson(body: unknown): unknown {
  return JSON.parse(scanned(body).text);
}

export interface ExecuteRequest {
  readonly argumentsJson: string;
  readonly runId?: string;
  readonly deadlineMs?: number;
}

const Envelope = ExecuteBody.omit({ arguments: true });

/** Body of `execute`: `arguments` stay text, as received with white space removed; an absent body is `{}`. */
export function readExecuteBody(body: unknown): ExecuteRequest {
  if (body === undefined || body === null || (Buffer.isBuffer(body) && body.length === 0))
    return { argumentsJson: '{}' };
  const { value, text, span } = withoutArguments(body);
  const { run_id, deadline_ms } = checked(Envelope, value, 'the body');
  return {
    argumentsJson: argumentText(text, span),
    ...(run_id === undefined ? {} : { runId: run_id }),
    ...(deadline_ms === undefined ? {} : { deadlineMs: deadline_ms }),
  };
}

function argumentText(text: string, span: Span | undefined): string {
  if (span === undefined) return '{}';
  if (text[span.start] !== '{') throw badRequest('arguments must be an object', { pointer: '/arguments' });
  return compact(text.slice(span.start, span.end));
}

/** A body whose member `arguments` stays text, as `execute` reads it. */
export function readBodyWithArguments<S extends z.ZodType>(
  body: unknown,
  rest: S,
): { readonly rest: z.output<S>; readonly argumentsJson: string } {
  const { value, text, span } = withoutArguments(body);
  return { rest: checked(rest, value, 'the body'), argumentsJson: argumentText(text, span) };
}

/** A body whose member `arguments` holds texts by name, each as `execute` reads it. */
export function readBodyWithArgumentsByName<S extends z.ZodType>(
  body: unknown,
  rest: S,
): { readonly rest: z.output<S>; readonly argumentTexts: ReadonlyMap<string, string> } {
  const { value, text, span } = withoutArguments(body);
  const whole = argumentText(text, span);
  const scan = scanJson(whole, bodyBounds);
  const members = scan.kind === 'ok' ? [...scan.members] : [];
  return {
    rest: checked(rest, value, 'the body'),
    argumentTexts: new Map(members.map(([name, own]) => [name, argumentText(whole, own)])),
  };
}

function withoutArguments(body: unknown): { value: object; text: string; span: Span | undefined } {
  const { text, members } = scanned(body);
  if (!/^\s*\{/.test(text)) throw badRequest('the body must be an object');
  const rest: [string, unknown][] = [];
  for (const [name, { start, end }] of members)
    if (name !== 'arguments') rest.push([name, JSON.parse(text.slice(start, end))]);
  return { value: Object.fromEntries(rest), text, span: members.get('arguments') };
}

export function readQuery<S extends z.ZodType>(query: unknown, schema: S): z.output<S> {
  const members = Object.entries(typeof query === 'object' && query !== null ? query : {});
  const kept = members.filter(([name]) => !ignoredInQuery.has(name.toLowerCase()));
  return checked(schema, Object.fromEntries(kept), 'the query');
}

function checked<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues
    .flatMap(named)
    .slice(0, 20)
    .map(({ path, message }) => ({
      path: path.map((part) => `/${String(part)}`).join(''),
      message,
    }));
  throw badRequest(
    `${what} does not fit: ${issues.map((it) => `${it.path} ${it.message}`.trim()).join('; ')}`,
    {
      issues,
    },
  );
}

/** What is wrong with the form that a body of several forms comes closest to. */
function named(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const [closest] = issue.errors.toSorted((one, other) => one.length - other.length);
  return closest === undefined
    ? [issue]
    : closest.map((part) => ({ ...part, path: [...issue.path, ...part.path] }));
}
