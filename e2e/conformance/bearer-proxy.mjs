// The suite can send no bearer: requests pass through here and leave with one, otherwise as they came but for names under a prefix.
import { once } from 'node:events';
import { createServer, request as ask } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { eventsToSuite, toFront } from './names.mjs';

/** Resolves with the URL in place of `target`. `token` is asked for each request; with a `prefix` names change (names.mjs). */
export async function startBearerProxy(target, token, prefix = '') {
  const server = createServer((request, response) => {
    const headers = headersFor(request, new URL(target), token());
    // Of a length of its own.
    if (prefix !== '') delete headers['content-length'];
    const passed = ask(target, { method: request.method, headers }, (answer) => {
      const { 'content-length': length, ...kept } = answer.headers;
      const isLong = prefix === '' && length !== undefined;
      response.writeHead(answer.statusCode, { ...kept, ...(isLong && { 'content-length': length }) });
      response.flushHeaders();
      answerOf(answer, prefix)
        .on('error', () => response.destroy())
        .pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    if (prefix === '') request.pipe(passed);
    else void text(request).then((body) => passed.end(renamed(body, prefix)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}${new URL(target).pathname}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A foreign Host or Origin stays: that it is refused is one of the scenarios. */
function headersFor(request, { host, origin }, token) {
  const own = request.socket.localPort;
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  if ([`127.0.0.1:${own}`, `localhost:${own}`].includes(headers.host)) headers.host = host;
  if ([`http://127.0.0.1:${own}`, `http://localhost:${own}`].includes(headers.origin))
    headers.origin = origin;
  return headers;
}

function answerOf(answer, prefix) {
  const isStream = answer.headers['content-type']?.startsWith('text/event-stream') === true;
  return prefix === '' || !isStream
    ? answer
    : Readable.from(eventsToSuite(answer.setEncoding('utf8'), prefix));
}

function renamed(body, prefix) {
  return body === '' ? body : JSON.stringify(toFront(JSON.parse(body), prefix));
}
