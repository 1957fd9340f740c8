// The suite can send no bearer: requests pass through here and leave with one, otherwise as they came.
import { once } from 'node:events';
import { createServer, request as ask } from 'node:http';

/** Resolves with the URL in place of `target`. `token` is asked for each request. */
export async function startBearerProxy(target, token) {
  const { host, origin } = new URL(target);
  const server = createServer((request, response) => {
    const own = request.socket.localPort;
    const headers = { ...request.headers, authorization: `Bearer ${token()}` };
    // A foreign Host or Origin stays: that it is refused is one of the scenarios.
    if ([`127.0.0.1:${own}`, `localhost:${own}`].includes(headers.host)) headers.host = host;
    if ([`http://127.0.0.1:${own}`, `http://localhost:${own}`].includes(headers.origin))
      headers.origin = origin;
    const passed = ask(target, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
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
