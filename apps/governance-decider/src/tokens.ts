/** Injection tokens of what is an interface. */
export const JUDGE = Symbol('governance.judge');
export const GOVERNANCE_STATE = Symbol('governance.state');
export const EXPLAINER = Symbol('governance.explainer');
export const SIMULATOR = Symbol('governance.simulator');
export const REHEARSALS = Symbol('governance.rehearsals');
export const POLICY_DESKS = Symbol('governance.policy-desks');
