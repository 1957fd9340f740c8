import type { RunEventView } from '@uar/contracts';
import { memberText } from '@uar/json-text';
import type { ShownEvent } from '../event/shown-events.js';

/** An event of the AG-UI protocol (docs.ag-ui.com, protocol 1.0), as far as a tool plane has any. */
export interface AguiEvent {
  readonly type:
    | 'RUN_STARTED'
    | 'RUN_FINISHED'
    | 'RUN_ERROR'
    | 'TOOL_CALL_START'
    | 'TOOL_CALL_ARGS'
    | 'TOOL_CALL_END'
    | 'TOOL_CALL_RESULT'
    | 'CUSTOM';
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly [member: string]: unknown;
}

type DataOf<T extends RunEventView['type']> = Extract<RunEventView, { type: T }>['data'];

/** What an event is to a client of AG-UI: nothing is left out, what the protocol has no word for is `CUSTOM`. */
export function aguiEvents(event: ShownEvent): readonly AguiEvent[] {
  const made = projected(event);
  return made.map((one) => ({ timestamp: event.at, ...one }));
}

/** A stream that does not begin with the opening of its run: AG-UI clients take nothing before this. */
export function aguiStart(runId: string, timestamp: number): AguiEvent {
  return { type: 'RUN_STARTED', timestamp, threadId: runId, runId };
}

type Made = Omit<AguiEvent, 'timestamp'> & { readonly type: AguiEvent['type'] };

function projected(event: ShownEvent): readonly Made[] {
  switch (event.type) {
    case 'run.opened':
      return [{ type: 'RUN_STARTED', threadId: threadOf(event), runId: event.runId ?? '' }];
    case 'run.ended':
      return [runEnd(event)];
    case 'call.proposed':
      return proposal(event);
    case 'call.ended':
      return [result(event)];
    case 'run.changed':
    case 'call.decided':
    case 'call.approval_required':
    case 'call.approval_settled':
    case 'call.dispatched':
    case 'call.progress':
    case 'server.state':
    case 'catalog.changed':
    case 'gap':
      return [custom(event)];
  }
}

function threadOf({ runId, dataJson }: ShownEvent): string {
  const text = memberText(dataJson, 'conversation_id');
  const conversation: unknown = text === undefined ? undefined : JSON.parse(text);
  return typeof conversation === 'string' ? conversation : (runId ?? '');
}

function runEnd(event: ShownEvent): Made {
  const { status }: DataOf<'run.ended'> = JSON.parse(event.dataJson);
  const run = { threadId: threadOf(event), runId: event.runId ?? '' };
  switch (status) {
    case 'expired':
      return { type: 'RUN_ERROR', message: 'The time of the run is over.', code: status };
    case 'cancelled':
      return { type: 'RUN_FINISHED', ...run, outcome: { type: 'cancelled' } };
    case 'active':
    case 'completed':
      return { type: 'RUN_FINISHED', ...run };
  }
}

/** The text of the arguments is one delta, as it was received; a stream without arguments has none. */
function proposal({ callId, dataJson }: ShownEvent): readonly Made[] {
  const { tool }: DataOf<'call.proposed'> = JSON.parse(dataJson);
  const delta = memberText(dataJson, 'arguments');
  const call = { toolCallId: callId ?? '' };
  return [
    { type: 'TOOL_CALL_START', ...call, toolCallName: tool },
    ...(delta === undefined ? [] : [{ type: 'TOOL_CALL_ARGS', ...call, delta } as const]),
    { type: 'TOOL_CALL_END', ...call },
  ];
}

/** The result's own text; without one, what is known of the end. A call that no event proposed has no result either. */
function result(event: ShownEvent): Made {
  const { callId, dataJson } = event;
  const { outcome }: DataOf<'call.ended'> = JSON.parse(dataJson);
  if (outcome === 'rate_limited' || outcome === 'overloaded') return custom(event);
  return {
    type: 'TOOL_CALL_RESULT',
    messageId: `${callId ?? ''}.result`,
    toolCallId: callId ?? '',
    content: memberText(dataJson, 'result') ?? dataJson,
    role: 'tool',
  };
}

function custom({ type, callId, dataJson }: ShownEvent): Made {
  const value: unknown = JSON.parse(dataJson);
  return {
    type: 'CUSTOM',
    name: type,
    value: { ...(callId === undefined ? {} : { call_id: callId }), data: value },
  };
}
