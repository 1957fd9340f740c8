/** Injection tokens of what is an interface. */
export const JUDGE = Symbol('governance.judge');
export const GOVERNANCE_STATE = Symbol('governance.state');
