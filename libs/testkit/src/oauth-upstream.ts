import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { repositoryDir } from './product.js';

const Listening = z.object({ kind: z.literal('listening'), resource: z.string(), issuer: z.string() });
const Recorded = z.object({
  at: z.enum(['as', 'mcp', 'token']),
  method: z.string().optional(),
  url: z.string().optional(),
  status: z.number().optional(),
  headers: z.record(z.string(), z.unknown()).optional(),
  body: z.unknown().optional(),
});
export type Recorded = z.output<typeof Recorded>;
const Done = z.object({ kind: z.literal('done'), recorded: z.array(Recorded) });

/** A protected MCP server and its authorization server, in a process of their own (e2e/fixtures/oauth-upstream.mjs). */
export class OAuthUpstream {
  private constructor(
    private readonly child: ChildProcess,
    /** Address of the MCP server. */
    readonly url: string,
    readonly issuer: string,
  ) {}

  static async start(): Promise<OAuthUpstream> {
    const program = join(repositoryDir, 'e2e', 'fixtures', 'oauth-upstream.mjs');
    const child = fork(program, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] });
    const [message]: unknown[] = await once(child, 'message');
    const { resource, issuer } = Listening.parse(message);
    return new OAuthUpstream(child, resource, issuer);
  }

  /** How the authorization server is from now on; distrusting: the MCP server takes no token at all. */
  async mood(mood: 'well' | 'refusing' | 'html' | 'huge' | 'silent' | 'distrusting'): Promise<void> {
    await this.ask({ kind: 'mood', mood });
  }

  /** Every access token that was used so far is good no more. */
  async forget(): Promise<void> {
    await this.ask({ kind: 'forget' });
  }

  /** Tokens of callers that are signed with this secret (HS256) are exchanged from now on, but those of `stranger`. */
  async trust(secret: string): Promise<void> {
    await this.ask({ kind: 'trust', secret });
  }

  /** Which authorization servers the MCP server names from now on. */
  async name(...issuers: readonly string[]): Promise<void> {
    await this.ask({ kind: 'name', issuers });
  }

  /** Everything that either was sent. */
  async recorded(): Promise<readonly Recorded[]> {
    return (await this.ask({ kind: 'recorded' })).recorded;
  }

  /** Token requests that were answered, by grant. */
  async tokenRequests(): Promise<string[]> {
    const answered = (await this.recorded()).filter(({ at }) => at === 'token');
    return answered.map(
      ({ body, status }) => `${z.object({ grant_type: z.string() }).parse(body).grant_type} ${status}`,
    );
  }

  /** Goes where a browser would, with its cookies, up to the first address that is not of the authorization server. */
  async visit(start: string): Promise<URL> {
    const cookies = new Map<string, string>();
    let url = new URL(start);
    while (url.origin === this.issuer) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const set of response.headers.getSetCookie()) {
        const [name = '', value = ''] = (set.split(';')[0] ?? '').split('=', 2);
        cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
      url = new URL(location, url);
    }
    return url;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill();
    await ended;
  }

  private async ask(message: object): Promise<z.output<typeof Done>> {
    this.child.send(message);
    const [answer]: unknown[] = await once(this.child, 'message');
    return Done.parse(answer);
  }
}
