// The part of a person where a server wants OAuth: says which client the product is, and agrees in a browser.
const metadataUrl = 'https://conformance-test.local/client-metadata.json';

/** `auth` of the server that a scenario is about, from what the suite says of its client. */
export function authFor(scenario, { client_id, client_secret, private_key_pem: private_key }) {
  const flow = scenario.includes('client-credentials') ? 'client_credentials' : 'authorization_code';
  const client = { ...(client_secret && { client_secret }), ...(private_key && { private_key }) };
  return {
    ...{ type: 'oauth', flow },
    ...(client_id && { client_id, ...client }),
    ...(scenario === 'auth/basic-cimd' && { client_metadata_url: metadataUrl }),
  };
}

/** Begins an authorization at the product, and goes where a browser would go until a page is shown. */
export async function agree(api, server) {
  const { authorization_url: start } = await api('POST', `${server}/connect`);
  let place = start;
  for (let hops = 0; hops < 5; hops += 1) {
    const page = await fetch(place, { redirect: 'manual' });
    const text = await page.text();
    if (page.status === 200) return;
    const next = page.headers.get('location');
    if (next === null) throw new Error(`${new URL(place).pathname} answered ${page.status}: ${text}`);
    place = new URL(next, place).href;
  }
  throw new Error('the browser was sent around in circles');
}
