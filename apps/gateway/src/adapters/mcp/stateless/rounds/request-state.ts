import {
  ApprovalId,
  CallId,
  Digest,
  EpochMs,
  InstanceId,
  agentOf,
  principalId,
  type Caller,
} from '@uar/contracts';
import { textDigest } from '@uar/json-text';
import type { Seal } from '@uar/keys';
import { z } from 'zod';

const State = z.strictObject({
  call: CallId,
  /** Which human question it waits for. */
  approval: ApprovalId.optional(),
  /** How many requests of its upstream its client was shown. */
  shown: z.number().int().min(0).optional(),
  /** Which gateway holds the call. */
  gateway: InstanceId,
  /** What the client has to send again, and who. */
  bound: Digest,
  until: EpochMs,
});
type State = z.output<typeof State>;

/** What the retry of a call must have in common with the call. */
export interface SameCall {
  readonly caller: Caller;
  /** As it was proposed. */
  readonly toolName: string;
  readonly argumentsJson: string;
}

const purpose = 'mcp/request-state';
const longest = 2_048;

/** `requestState` of MCP 2026-07-28: what the client of a call that waits for a human, or for itself, carries to the next request. */
export class RequestStates {
  constructor(
    private readonly seal: Seal,
    private readonly now: () => number,
  ) {}

  write(state: Omit<State, 'bound'>, of: SameCall): string {
    return this.seal.seal(JSON.stringify({ ...state, bound: boundTo(of) }), purpose);
  }

  /** Undefined: not of ours, of another caller or call, or expired. */
  read(text: string, of: SameCall): State | undefined {
    if (text.length > longest) return undefined;
    const state = State.safeParse(this.opened(text));
    if (!state.success || state.data.bound !== boundTo(of)) return undefined;
    return state.data.until > this.now() ? state.data : undefined;
  }

  private opened(text: string): unknown {
    try {
      return JSON.parse(this.seal.open(text, purpose));
    } catch {
      return undefined;
    }
  }
}

function boundTo({ caller: { principal, run_id }, toolName, argumentsJson }: SameCall): Digest {
  const who = [principal.issuer, principalId(principal), agentOf(principal) ?? null, run_id];
  return textDigest(JSON.stringify([...who, toolName, argumentsJson]));
}
