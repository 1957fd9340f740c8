// The suite knows tools and prompts by the names that its fixture gives them; where several upstreams meet they begin with their server's.

/** A message of the suite, with the names of the front. */
export function toFront(message, prefix) {
  const { method, params } = message;
  if (params === undefined) return message;
  if (method === 'tools/call' || method === 'prompts/get')
    return { ...message, params: { ...params, name: prefix + params.name } };
  const { ref } = params;
  if (method !== 'completion/complete' || ref?.type !== 'ref/prompt') return message;
  return { ...message, params: { ...params, ref: { ...ref, name: prefix + ref.name } } };
}

/** An answer of the front, with the names that the suite knows. */
function toSuite(message, prefix) {
  const result = { ...message.result };
  for (const list of ['tools', 'prompts'])
    result[list] = result[list]?.map((each) => ({ ...each, name: each.name.replace(prefix, '') }));
  return message.result === undefined ? message : { ...message, result };
}

/** Changes the JSON of each event's data, line by line as they come. */
export async function* eventsToSuite(chunks, prefix) {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) yield `${lineToSuite(line, prefix)}\n`;
  }
  yield rest;
}

function lineToSuite(line, prefix) {
  if (!line.startsWith('data: {')) return line;
  return `data: ${JSON.stringify(toSuite(JSON.parse(line.slice('data: '.length)), prefix))}`;
}
