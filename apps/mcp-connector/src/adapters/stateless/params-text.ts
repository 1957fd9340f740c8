import { memberSpans } from '@uar/json-text';

/** Members of `params` that are the host's own to say. */
const own = new Set(['_meta', 'inputResponses', 'requestState']);

/** The text of an object, with each of its members as it was written, but for those of the host, which are `said` (JSON texts). */
export function paramsText(text: string, said: Readonly<Record<string, string>>): string {
  const kept = memberSpans(text, 0).filter(({ name }) => !own.has(name));
  const members = kept.map(
    ({ name, value }) => `${JSON.stringify(name)}:${text.slice(value.start, value.end)}`,
  );
  const added = Object.entries(said).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return `{${[...members, ...added].join(',')}}`;
}
