import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { natsServerConfig, serviceNames } from '@uar/bus';
import type { ServiceName } from '@uar/contracts';
import { removeRunFolder, runFolder } from '../prepare.js';
import { SupervisedProcess } from '../processes/supervised-process.js';

/** A nats-server of our own on a free loopback port, with a password per service that lives as long as the launcher. */
export interface NatsChild {
  readonly url: string;
  passwordFile(service: ServiceName): string;
  /** Ends the server and removes the passwords. */
  stop(graceMs: number): Promise<boolean>;
}

const maxPayloadBytes = 4 * 1024 * 1024;

export async function startNats(options: {
  binary: string;
  dataDir: string;
  say: (line: string) => void;
}): Promise<NatsChild> {
  const folder = runFolder(options.dataDir);
  removeRunFolder(options.dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const passwordFile = (service: ServiceName) => join(folder, `${service}.password`);
  const passwords = newPasswords();
  for (const service of serviceNames) writeSecret(passwordFile(service), passwords[service]);
  const end = () => removeRunFolder(options.dataDir);

  const server = new NatsProcess({ ...options, confFile: join(folder, 'nats.conf'), passwords });
  try {
    await server.process.start();
  } catch (error) {
    end();
    throw error;
  }
  return {
    url: `nats://127.0.0.1:${server.port}`,
    passwordFile,
    stop: async (graceMs) => {
      const orderly = await server.process.stop(graceMs);
      end();
      return orderly;
    },
  };
}

/** Started again it takes the same port, so that the services find it. */
class NatsProcess {
  readonly process: SupervisedProcess;
  port = -1;

  constructor(options: {
    binary: string;
    dataDir: string;
    confFile: string;
    passwords: Readonly<Record<ServiceName, string>>;
    say: (line: string) => void;
  }) {
    const { binary, confFile, dataDir, passwords, say } = options;
    this.process = new SupervisedProcess({
      name: 'nats-server',
      command: binary,
      args: ['-c', confFile],
      env: () => {
        const { port } = this;
        writeSecret(confFile, natsServerConfig({ host: '127.0.0.1', port, passwords, maxPayloadBytes }));
        return {};
      },
      owner: dataDir,
      onLine: (line) => {
        this.port = listeningPort(line) ?? this.port;
        if (line.includes('Server is ready')) this.process.markReady();
      },
      say,
    });
  }
}

/** The server's own words: it says where it listens before it says that it is ready. */
function listeningPort(line: string): number | undefined {
  const port = /Listening for client connections on .*:(\d+)\s*$/.exec(line)?.[1];
  return port === undefined ? undefined : Number(port);
}

function newPasswords(): Record<ServiceName, string> {
  const fresh = () => randomBytes(24).toString('base64url');
  return {
    gateway: fresh(),
    'catalog-registry': fresh(),
    'governance-decider': fresh(),
    'approval-service': fresh(),
    'mcp-connector': fresh(),
    'native-tool-host': fresh(),
  };
}

function writeSecret(file: string, text: string): void {
  writeFileSync(file, `${text}\n`, { mode: 0o600 });
}
