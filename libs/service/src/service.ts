import type { Bus } from '@uar/bus';
import type { ResolvedConfig } from '@uar/config';
import type { ServiceName } from '@uar/contracts';
import type { Log } from '@uar/telemetry';

/** What every service is given at start, in its own process or in the one-process profile. */
export interface ServiceContext {
  readonly config: ResolvedConfig;
  readonly bus: Bus;
  readonly log: Log;
}

export interface Readiness {
  readonly ready: boolean;
  /** What is missing, one clause each. A service may be ready and still say what is wrong. */
  readonly problems: readonly string[];
}

/** URLs under which the gateway's two listeners are reached on this machine, with the ports that were taken. */
export interface Endpoints {
  readonly gateway: string;
  readonly management: string;
}

export interface RunningService {
  readonly name: ServiceName;
  /** The gateway alone has listeners of its own. */
  endpoints?(): Endpoints;
  readiness(): Promise<Readiness>;
  /** Orderly end within `server.shutdown_grace_seconds`: no new work, running work finished, connections closed. */
  stop(): Promise<void>;
}

/** What an app exports from `./module`: the launcher and its own main.ts start it the same way. */
export interface ServiceDefinition {
  readonly name: ServiceName;
  start(context: ServiceContext): Promise<RunningService>;
}
