// Reads one stream of server-sent events; costs little, so that what is measured is the other side.
import { Agent, request } from 'node:http';

/** Resolves once the stream is open; `listener` gets each event's body. */
export function openEvents(url, token, listener) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    const sent = request(`${url}/api/uar/events`, { headers, agent: new Agent() }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`events: ${response.statusCode}`));
      let rest = '';
      response.setEncoding('utf8');
      response.on('error', () => undefined);
      response.on('data', (chunk) => {
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop();
        for (const block of blocks) {
          const data = block.split('\n').find((line) => line.startsWith('data: '));
          if (data !== undefined) listener?.(JSON.parse(data.slice(6)));
        }
      });
      resolve({ close: () => sent.destroy() });
    });
    sent.on('error', reject);
    sent.end();
  });
}
