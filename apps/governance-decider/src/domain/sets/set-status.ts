/** What stands for a tenant, as `readGovernanceStatus` tells it. */
export interface SetStatus {
  readonly tenant: string;
  readonly version: string;
  readonly loaded: boolean;
  readonly policies: number;
  readonly problem?: string;
}
