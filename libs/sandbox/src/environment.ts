export type Environment = Readonly<Record<string, string | undefined>>;

/** What a child takes over from our own environment: nothing that could hold a secret. */
const inherited = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TERM', 'TMPDIR'] as const;

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface ChildEnvironment {
  /** Our own environment, of which the inherited names above are taken. */
  readonly ambient: Environment;
  /** Private home of the child. Absent: it gets no HOME. */
  readonly home?: string;
  /** Values configured for the child; they win. */
  readonly configured: Readonly<Record<string, string>>;
}

/** The whole environment of a child. */
export function childEnvironment(options: ChildEnvironment): Record<string, string> {
  const environment: Record<string, string> = { PATH: defaultPath };
  for (const name of inherited) {
    const value = options.ambient[name];
    if (value !== undefined && value !== '') environment[name] = value;
  }
  if (options.home !== undefined) environment['HOME'] = options.home;
  return { ...environment, ...options.configured };
}
