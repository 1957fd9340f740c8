import type { ServerResponse } from 'node:http';
import { rpcCodes } from '../rpc-codes.js';

export interface RpcProblem {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface TransportRefusal {
  readonly status: number;
  readonly why: string | RpcProblem;
  /** Of the request that is refused, where one was read. */
  readonly id?: string | number | undefined;
}

/** A refusal of the transport: an HTTP status and a JSON-RPC error. */
export function refuse(response: ServerResponse, { status, why, id }: TransportRefusal): void {
  const error = typeof why === 'string' ? { code: rpcCodes.refused, message: why } : why;
  const body = JSON.stringify({ jsonrpc: '2.0', error, id: id ?? null });
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
