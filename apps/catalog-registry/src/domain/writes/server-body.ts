import { ServerConfig } from '@uar/contracts';

export type ReadBody =
  | { readonly kind: 'config'; readonly config: ServerConfig }
  | { readonly kind: 'bad_shape'; readonly message: string };

type Members = Readonly<Record<string, unknown>>;

/** The body of a PUT: the whole configuration. */
export function readBody(body: unknown): ReadBody {
  const parsed = ServerConfig.safeParse(body);
  if (parsed.success) return { kind: 'config', config: parsed.data };
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
  );
  return { kind: 'bad_shape', message: problems.join('; ') };
}

/** The body of a PATCH over what is there: a JSON merge patch (RFC 7396), so `null` removes and absent members stay. */
export function readPatch(current: ServerConfig, body: unknown): ReadBody {
  if (!isMembers(body)) return { kind: 'bad_shape', message: 'the body is no object' };
  return readBody(mergePatch({ ...current }, body));
}

function mergePatch(target: Members, patch: Members): Members {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergedValue(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function mergedValue(target: unknown, value: unknown): unknown {
  if (!isMembers(value)) return value;
  return mergePatch(isMembers(target) ? target : {}, value);
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
