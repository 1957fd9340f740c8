import { skeletonOf } from '../definition/skeleton.js';

interface Suspicion {
  readonly what: string;
  readonly pattern: RegExp;
}

/**
 * Phrases that published attacks through tool descriptions have in common and that honest descriptions hardly need. A
 * short list that finds the known forms in English: what it does not find is not proven harmless. Every repetition is
 * bounded, so that no text makes a search long. Matched against lower case with look-alikes and white space folded.
 */
const suspicions: readonly Suspicion[] = [
  {
    what: 'asks to ignore other instructions',
    pattern:
      /\b(?:ignore|disregard|forget|override) (?:[a-z]{1,12} ){0,3}(?:all|any|previous|prior|above|earlier|preceding|other) (?:[a-z]{1,12} ){0,3}(?:instructions?|prompts?|rules|guidelines|guardrails)\b/,
  },
  {
    what: 'asks to keep something from the user',
    pattern:
      /\b(?:do not|don't|never|must not|should not) (?:[a-z]{1,12} ){0,2}(?:(?:tell|inform|let) (?:the |a )?users?\b|(?:mention|reveal|disclose)(?: [a-z]{1,12}){1,4} to (?:the |a )?users?\b)/,
  },
  {
    what: 'asks to keep something from the user',
    pattern:
      /\b(?:without (?:telling|informing)|(?:hide|conceal|keep)(?: [a-z]{1,12}){1,4} from) (?:the |a )?users?\b(?! interface)/,
  },
  {
    what: 'imitates a message of the system',
    pattern: /<\/?(?:important|system|secret|hidden)>|<\|im_(?:start|end)\|>|<<sys>>|\[\/?inst\]/,
  },
  {
    what: 'asks for files that hold secrets',
    pattern:
      /\b(?:read|open|cat|send|pass|include|upload|copy|attach|provide|fetch|retrieve)\b.{0,80}(?:\bid_(?:rsa|ecdsa|ed25519)\b|\.ssh\/|\.aws\/credentials|\.git-credentials|\.netrc\b|\.cursor\/mcp\.json|claude_desktop_config|\/etc\/(?:passwd|shadow)\b)/,
  },
  {
    what: 'asks to pass secrets on',
    pattern:
      /\b(?:send|upload|post|forward|transmit|leak|exfiltrate)\b.{0,60}\b(?:api keys?|passwords?|credentials|private keys?|access tokens?|secrets|environment variables)\b.{0,40}\bto (?:https?:|[a-z0-9.]{1,40}@|this (?:url|server|address)|the following)/,
  },
  {
    what: 'asks to pass the conversation on',
    pattern:
      /\b(?:send|upload|post|forward|transmit|pass|include|append|attach)\b.{0,40}\b(?:(?:conversation|chat) history|(?:entire|whole|full) conversation|system prompt|previous messages)\b/,
  },
];

/** What a text that a model reads seems to be up to, besides describing a tool; empty for an honest one. */
export function instructionsIn(text: string): readonly string[] {
  const folded = skeletonOf(text.replace(/\s+/gu, ' ')).replace(/[\u2018\u2019\u02bc]/gu, "'");
  const found = suspicions.filter(({ pattern }) => pattern.test(folded));
  return [...new Set(found.map(({ what }) => what))];
}
