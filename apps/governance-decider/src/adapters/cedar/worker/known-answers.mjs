// @ts-check
// Plain JavaScript, as the worker that imports it.

/** @typedef {import('../../../domain/cedar/cedar.js').RawAnswer} RawAnswer */
/** @typedef {import('../../../domain/cedar/cedar.js').CedarQuestion} CedarQuestion */

const mostKnown = 500;
/** Characters of a question; a longer one, with whole texts among its arguments, is asked each time. */
const longestKnown = 8_192;

/**
 * What the engine said to questions about one part of a set. It says the same whenever it is asked the same: a question holds
 * all that its policies can tell apart, the clock too where they read it. The ones asked least lately are forgotten.
 */
export class KnownAnswers {
  /** @type {Map<string, RawAnswer>} */
  #answers = new Map();

  /**
   * @param {CedarQuestion} question as the policies are asked
   * @param {() => RawAnswer} ask
   * @returns {RawAnswer}
   */
  find(question, ask) {
    const key = JSON.stringify(question);
    if (key.length > longestKnown) return ask();
    const found = this.#answers.get(key) ?? ask();
    this.#answers.delete(key);
    if (found.kind === 'decided') this.#answers.set(key, found);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > mostKnown && oldest !== undefined) this.#answers.delete(oldest);
    return found;
  }
}
