import type { Product, TokenOptions } from '@uar/testkit';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed body; members are looked at by tests, so their types are open. */
  readonly body: Body;
}

export interface Body {
  readonly [member: string]: Body;
}

export interface RequestOptions {
  readonly method?: string;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The HTTP API as one caller uses it. */
export interface Client {
  readonly token: string;
  request(path: string, options?: RequestOptions): Promise<Answer>;
  get(path: string): Promise<Answer>;
  execute(tool: string, args?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

export const admin: TokenOptions = { sub: 'ada', roles: ['admin', 'user'] };
export const user: TokenOptions = { sub: 'uma', roles: ['user'] };

export function clientOf(product: Product, who: TokenOptions = admin): Client {
  return clientAt(product.gateway, product.token(who));
}

export function clientAt(url: string, token: string): Client {
  const request = async (path: string, options: RequestOptions = {}): Promise<Answer> => {
    const text = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const response = await fetch(`${url}${path}`, {
      method: options.method ?? (text === undefined ? 'GET' : 'POST'),
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(text !== undefined && { body: text }),
    });
    const answer = await response.text();
    return { status: response.status, headers: response.headers, text: answer, body: parsed(answer) };
  };
  return {
    token,
    request,
    get: (path) => request(path),
    execute: (tool, args, headers = {}) =>
      request(`/api/tools/${tool}/execute`, { body: args === undefined ? {} : { arguments: args }, headers }),
  };
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return {};
  }
}

/** Asks again until `found` gives something; fails after `limitMs`. */
export async function eventually<T>(found: () => Promise<T | undefined>, limitMs = 10_000): Promise<T> {
  const limit = Date.now() + limitMs;
  for (;;) {
    const value = await found();
    if (value !== undefined) return value;
    if (Date.now() > limit) throw new Error(`it did not happen within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Waits until a tool is listed as available. */
export async function toolListed(client: Client, name: string): Promise<Body> {
  return eventually(async () => {
    const answer = await client.get(`/api/tools/${name}`);
    return answer.status === 200 && String(answer.body['state']) === 'available' ? answer.body : undefined;
  }, 20_000);
}

/** Waits for the pending approval of a tool. */
export async function pendingApproval(client: Client, tool: string): Promise<Body> {
  return eventually(async () => {
    const answer = await client.get('/api/uar/approvals?status=pending');
    const approvals = (answer.body['approvals'] ?? []) as unknown as Body[];
    return approvals.find((approval) => String(approval['tool']) === tool);
  });
}

/** The pending approval of the call with this id in its arguments. */
export function approvalWith(client: Client, id: string): Promise<Body> {
  return eventually(async () => {
    const { body } = await client.get('/api/uar/approvals?status=pending');
    const approvals = (body['approvals'] ?? []) as unknown as Body[];
    return approvals.find((each) => String(each['arguments_preview']).includes(`"${id}"`));
  }, 30_000);
}

export function decide(client: Client, approval: Body, decision: 'approve' | 'reject'): Promise<Answer> {
  return client.request(`/api/uar/approvals/${String(approval['approval_id'])}/decision`, {
    body: { decision },
  });
}

/** The receipt of a call that has ended: in its answer, or a moment later where the ledger took longer than answers wait. */
export async function receiptOf(client: Client, ended: Body): Promise<Body> {
  if (ended['receipt'] !== null) return ended['receipt'] ?? {};
  return eventually(async () => (await outcomesOf(client, String(ended['call_id'])))[0]);
}

/** The receipts that say how a call ended, of the first thousand. */
export async function outcomesOf(client: Client, callId: string): Promise<Body[]> {
  const { body } = await client.get('/api/uar/receipts?limit=1000');
  const receipts = (body['receipts'] ?? []) as unknown as Body[];
  return receipts.filter((each) => String(each['call_id']) === callId && String(each['kind']) === 'outcome');
}
