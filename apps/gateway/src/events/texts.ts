import { aguiEvents, aguiStart, type AguiEvent } from '../domain/agui/agui-events.js';
import { eventText, type ShownEvent } from '../domain/event/shown-events.js';
import type { StreamEnd } from '../domain/event/streams.js';

/** More than this in the way to a client, and nothing more is written to it. */
export const mostUnsentBytes = 256 * 1024;

/** One text of a stream, under the name by which EventSource tells events apart. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** What a stream writes of its events. */
export interface EventTexts {
  of(event: ShownEvent): readonly NamedText[];
  /** What is still to be said before the stream ends. */
  atEnd(reason: StreamEnd): readonly NamedText[];
}

/** `place` names the member that says where in its stream an event stands. */
export function textsOf(profile: 'agui' | undefined, place: 'seq' | 'id'): EventTexts {
  return profile === undefined ? new PlainTexts(place) : new AguiTexts(place === 'id');
}

class PlainTexts implements EventTexts {
  constructor(private readonly place: 'seq' | 'id') {}

  of(event: ShownEvent): readonly NamedText[] {
    const { id, type } = event;
    const text = eventText(event, this.place === 'id' ? { id: String(id) } : { seq: id });
    return [{ name: type, text }];
  }

  atEnd(): readonly NamedText[] {
    return [];
  }
}

/** As AG-UI clients take it: nothing before the start of the run, nothing after its end. */
class AguiTexts implements EventTexts {
  private isStarted = false;
  private held: readonly AguiEvent[] = [];

  /** `hasIds`: each text says where it stands, where the transport does not. */
  constructor(private readonly hasIds: boolean) {}

  of(event: ShownEvent): readonly NamedText[] {
    const made = aguiEvents(event);
    if (event.type === 'run.ended') this.held = made;
    const shown = event.type === 'run.ended' ? [] : [...this.startOf(event), ...made];
    return shown.map((one) => this.textOf(one, event.id));
  }

  atEnd(reason: StreamEnd): readonly NamedText[] {
    return reason === 'run_ended' ? this.held.map((one) => this.textOf(one, undefined)) : [];
  }

  private startOf({ type, runId, at }: ShownEvent): readonly AguiEvent[] {
    if (this.isStarted || runId === undefined) return [];
    this.isStarted = true;
    return type === 'run.opened' ? [] : [aguiStart(runId, at)];
  }

  private textOf(event: AguiEvent, id: number | undefined): NamedText {
    const member = this.hasIds && id !== undefined ? { id: String(id) } : {};
    return { name: 'message', text: JSON.stringify({ ...member, ...event }) };
  }
}
