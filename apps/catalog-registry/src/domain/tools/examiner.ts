import type { ServerView } from '@uar/contracts';
import { serverKey, type DesiredServer, type ServerKey } from '../servers/desired-servers.js';
import { examineTools, type ExaminedTool } from './examined-tools.js';
import type { LookAlikes } from './look-alikes.js';
import type { Pins } from './pins.js';
import type { ToolList } from './tool-list.js';
import { toolWarnings } from './tool-warnings.js';

/** Looks at lists with what is known of reviews and of the names of other tools. */
export class Examiner {
  constructor(
    private readonly pins: Pins,
    private readonly lookAlikes: LookAlikes,
  ) {}

  takeFirst(server: DesiredServer, list: ToolList): Promise<void> {
    return this.pins.takeFirst(server, list);
  }

  /** From now on these are the names of the server; gives the other servers to look at again. */
  meet(key: ServerKey, list: ToolList | undefined): ReadonlySet<ServerKey> {
    return this.lookAlikes.put(key, list?.tools.map(({ definition }) => definition.name) ?? []);
  }

  examine(server: DesiredServer, list: ToolList): readonly ExaminedTool[] {
    const key = serverKey(server.tenant, server.name);
    const isTwin = (rawName: string) => this.lookAlikes.isTwin(key, rawName);
    return examineTools(server, list, { review: this.pins.review(key), isTwin });
  }

  warnings(server: DesiredServer, list: ToolList | undefined): ServerView['warnings'] {
    if (list === undefined) return [];
    const review = this.pins.review(serverKey(server.tenant, server.name));
    return toolWarnings(server, list.problems, { tools: this.examine(server, list), review });
  }
}
