import type { DecisionNote } from './decision-note.js';

/** Notes that wait, oldest first. Beyond its bounds the oldest makes room and is counted as dropped. */
export class NoteBuffer {
  #notes: DecisionNote[] = [];
  #chars = 0;
  #dropped = 0;

  constructor(private readonly bounds: { readonly notes: number; readonly chars: number }) {}

  get size(): number {
    return this.#notes.length;
  }

  /** How many were dropped since this was asked last. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  push(note: DecisionNote): void {
    this.#notes.push(note);
    this.#chars += charsOf(note);
    while (this.#notes.length > this.bounds.notes || this.#chars > this.bounds.chars) {
      const oldest = this.#notes.shift();
      if (oldest === undefined) return;
      this.#chars -= charsOf(oldest);
      this.#dropped += 1;
    }
  }

  /** Notes that were taken and wait again, as far as there is room. */
  putBack(notes: readonly DecisionNote[]): void {
    const later = this.take(this.#notes.length);
    for (const note of [...notes, ...later]) this.push(note);
  }

  /** The oldest ones; they are not here any more. */
  take(most: number): readonly DecisionNote[] {
    const taken = this.#notes.splice(0, most);
    for (const note of taken) this.#chars -= charsOf(note);
    return taken;
  }
}

function charsOf(note: DecisionNote): number {
  return note.question.arguments_json.length;
}
