import type { FastifyRequest } from 'fastify';

/** Path of the pages, and all that the cookie is sent to. */
export const pagesPath = '/approvals';

const cookieName = 'uar_approvals';
/** What browsers keep of one cookie, with its name and attributes. */
export const longestCookieToken = 3_800;

export function isPage(url: string): boolean {
  const path = url.split('?')[0] ?? '';
  return path === pagesPath || path.startsWith(`${pagesPath}/`);
}

/** The session of these pages as an Authorization value; undefined where the request has a header of its own, or no session. */
export function sessionOf({ headers, url }: FastifyRequest): string | undefined {
  if (headers.authorization !== undefined || !isPage(url)) return undefined;
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === cookieName && value !== undefined && /^[\w.-]+$/.test(value)) return `Bearer ${value}`;
  }
  return undefined;
}

/** `path`: that of the pages under the public URL. The cookie is Secure where that is https. */
export function sessionCookie(
  token: string,
  { pages, maxAgeSeconds }: { readonly pages: URL; readonly maxAgeSeconds: number },
): string {
  const secure = pages.protocol === 'https:' ? '; Secure' : '';
  return `${cookieName}=${token}; Path=${pages.pathname}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}
