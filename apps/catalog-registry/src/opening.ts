/** Handlers wait for it: before the stored servers are known, every answer would be a wrong one. */
export interface Opening {
  whenOpen(signal: AbortSignal): Promise<void>;
  /** Also until hosts had time to tell what they serve. */
  whenCaughtUp(signal: AbortSignal): Promise<void>;
}

export const OPENING = Symbol('registry.opening');
