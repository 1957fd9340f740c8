export interface ReadinessView {
  readonly ready: boolean;
  readonly governance: 'on' | 'off';
  /** What is missing, one clause each. */
  readonly problems: readonly string[];
}

/** Is everything there that a call needs? */
export interface GatewayReadiness {
  view(): Promise<ReadinessView>;
}

/** Injection token of the GatewayReadiness. */
export const READINESS = Symbol('uar.gateway.readiness');
