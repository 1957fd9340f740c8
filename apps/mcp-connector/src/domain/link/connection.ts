import type { ToolList } from '../tools/tool-list.js';
import type { Upstream } from '../upstream.js';
import type { ConnectPorts } from './connect.js';

export interface LinkPorts extends ConnectPorts {
  readonly random: () => number;
  /** The report changed. */
  readonly onChange: () => void;
  /** A bug of ours while connecting; the server counts as failed. */
  readonly onFault: (error: unknown) => void;
}

export interface Connection {
  readonly upstream: Upstream;
  readonly list: ToolList;
}

/** A connection that follows what its upstream lists. */
export interface Live extends Connection {
  list: ToolList;
}
