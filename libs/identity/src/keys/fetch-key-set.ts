import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** Reads the text of a key set. Rejects when there is none to be had. */
export type FetchKeySet = (url: string, signal: AbortSignal) => Promise<string>;

/** Longest key set in bytes. */
const maxBytes = 256 * 1024;

/** One GET: no redirect is followed, status 200 only, body capped as it arrives, ended by the signal. */
export const fetchKeySet: FetchKeySet = async (url, signal) => {
  const response = await get(new URL(url), signal);
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`the key set answered status ${String(response.statusCode)}`);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > maxBytes) {
      response.destroy();
      throw new Error(`the key set is longer than ${String(maxBytes)} bytes`);
    }
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
};

function get(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    request(url, { signal, agent: false, headers: { accept: 'application/jwk-set+json, application/json' } })
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
}
