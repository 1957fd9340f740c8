import { createServer } from 'node:net';

export interface WantedPort {
  /** What it is for, in the words of the user. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Variable that chooses another. */
  readonly variable: string;
}

/** One line per port that cannot be had, found before any service starts. Port 0 can always be had. */
export async function portProblems(wanted: readonly WantedPort[]): Promise<readonly string[]> {
  const problems = await Promise.all(wanted.filter(({ port }) => port !== 0).map(portProblem));
  return problems.filter((problem) => problem !== undefined);
}

function portProblem({ name, host, port, variable }: WantedPort): Promise<string | undefined> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', (error) => {
      const code = 'code' in error ? error.code : undefined;
      const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be had (${String(code)})`;
      resolve(
        `the ${name}'s port ${port} on ${host} ${why}; ${variable} chooses another, 0 takes a free one`,
      );
    });
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}
