import { randomBytes } from 'node:crypto';
import type { ServiceContext } from '@uar/service';
import type { PolicyFiles } from './adapters/policies/policy-folder.js';
import { LedgerProposals } from './adapters/ledger/policy-proposals.js';
import { LedgerVersions } from './adapters/ledger/policy-versions.js';
import { PolicyWatch } from './adapters/policies/policy-watch.js';
import { LedgerPolicies } from './adapters/ledger/policy-written.js';
import { judgeActions } from './domain/decide/actions.js';
import type { CedarParts } from './domain/decide/cedar-judge.js';
import type { Judge } from './domain/decide/verdict.js';
import type { Candidates } from './domain/lifecycle/candidates.js';
import { PolicyLifecycle } from './domain/lifecycle/policy-lifecycle.js';
import type { RepairParts } from './domain/lifecycle/repair-judge.js';
import { ProposalDesk } from './domain/lifecycle/proposal-desk.js';
import type { ToolSchemas } from './domain/policy/lint/tool-schema.js';
import type { PolicySets } from './domain/sets/policy-sets.js';
import type { LiveDirectory } from './domain/question/directory.js';
import type { PolicyDesks } from './policies/policies.controller.js';

/** What the ledger keeps of policies. */
export interface KeptPolicies {
  readonly written: LedgerPolicies;
  readonly versions: LedgerVersions;
  readonly proposals: LedgerProposals;
}

export function keptPolicies({ bus, log, config: { profile } }: ServiceContext): KeptPolicies {
  const now = Date.now;
  return {
    written: new LedgerPolicies({ bus, log, profile }),
    versions: new LedgerVersions({ bus, log, now }),
    proposals: new LedgerProposals({ bus, log, profile, now }),
  };
}

export function folderWatch(
  { config, log }: ServiceContext,
  files: PolicyFiles,
  sets: PolicySets,
): PolicyWatch {
  return new PolicyWatch({
    folder: config.governance.policies_dir,
    fingerprint: () => files.fingerprint(),
    reload: (options) => sets.reload(options),
    onProblem: (problem) => log.error({ problem }, 'policies not loaded'),
  });
}

export function policyDesks(
  sets: PolicySets,
  judge: Judge,
  kept: KeptPolicies & { readonly schemas: ToolSchemas; readonly candidates: Candidates },
): PolicyDesks {
  const catchUp = async (): Promise<void> => {
    await kept.written.refresh();
    await sets.reload();
  };
  const shared = { sets, candidates: kept.candidates, judge, catchUp, now: Date.now };
  const proposals = new ProposalDesk({ ...shared, box: kept.proposals, newId: newProposalId });
  const lifecycle = new PolicyLifecycle({
    ...shared,
    proposals,
    store: kept.written,
    versions: kept.versions,
    schemas: kept.schemas,
  });
  return { lifecycle, proposals };
}

/** Who may mend what keeps everybody from everything. */
export function repairs(
  parts: Omit<CedarParts, 'directory' | 'remembered' | 'sets'> & {
    readonly sets: PolicySets;
    readonly directory: LiveDirectory;
  },
): RepairParts {
  const { sets, directory } = parts;
  const ruling = { of: (tenant: string) => sets.of(tenant) ?? sets.repairOf(tenant) };
  return {
    breakdowns: {
      isWithoutSet: (tenant) => sets.of(tenant) === undefined,
      isWithoutSettings: (tenant) => directory.hasUnreadableSettings(tenant),
    },
    judge: {
      judgeActions: (caller, questions) =>
        judgeActions({ ...parts, sets: ruling, directory: directory.forRepair }, caller, questions),
    },
  };
}

function newProposalId(): string {
  return `prop_${randomBytes(16).toString('hex')}`;
}
