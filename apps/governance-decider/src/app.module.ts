import { Module, type DynamicModule } from '@nestjs/common';
import {
  AgentBody,
  StoredNativeTools,
  StoredTenantSettings,
  TenantId,
  agentsNamespace,
  nativeToolsNamespace,
  policiesChanged,
  tenantNamespace,
} from '@uar/contracts';
import type { ServiceContext } from '@uar/service';
import { SettingsReplica } from '@uar/settings';
import { CedarEngine, compileCedar } from './adapters/cedar/engine.js';
import { ConfigDirectory } from './adapters/config-directory.js';
import { GrantSignatures, grantKey, offersOver } from './adapters/grant-signatures.js';
import { LivePolicies } from './adapters/policies/live-policies.js';
import { PolicyFiles } from './adapters/policies/policy-folder.js';
import { SettingsDirectory } from './adapters/settings-directory.js';
import { followCatalog } from './assembly-catalog.js';
import { folderWatch, keptPolicies, policyDesks, repairs } from './assembly-policies.js';
import { rehearse } from './assembly-rehearsals.js';
import { CallDesk } from './domain/decide/call-desk.js';
import { CedarJudge } from './domain/decide/cedar-judge.js';
import { PlainJudge } from './domain/decide/plain-judge.js';
import type { Judge } from './domain/decide/verdict.js';
import { CallExplainer } from './domain/explain/explain-call.js';
import { noSimulator, type Explainer, type Simulator } from './domain/explain/explainer.js';
import { PlainExplainer } from './domain/explain/plain-explainer.js';
import { NoPolicies, type GovernanceState } from './domain/governance-state.js';
import { Candidates } from './domain/lifecycle/candidates.js';
import { RepairJudge } from './domain/lifecycle/repair-judge.js';
import { PolicySets } from './domain/sets/policy-sets.js';
import { NoRehearsals, type Rehearsals } from './domain/rehearsals.js';
import { CallSimulator } from './domain/simulate/simulate-calls.js';
import { ExplainController } from './explain.controller.js';
import { GovernanceController } from './governance.controller.js';
import { PoliciesController, type PolicyDesks } from './policies/policies.controller.js';
import { ReplayController } from './replay/replay.controller.js';
import { EXPLAINER, GOVERNANCE_STATE, JUDGE, POLICY_DESKS, REHEARSALS, SIMULATOR } from './tokens.js';

const rememberedDecisions = 10_000;
/** A kill switch whose announcement was lost still holds within about a second. */
const settingsPollMs = 1_000;

interface Government {
  readonly judge: Judge;
  readonly state: GovernanceState;
  readonly directory: SettingsDirectory;
  readonly explainer: Explainer;
  readonly simulator: Simulator;
  readonly rehearsals: Rehearsals;
  readonly desks: PolicyDesks;
}

const GOVERNMENT = Symbol('governance.government');

@Module({})
export class AppModule {
  static with(context: ServiceContext): DynamicModule {
    return {
      module: AppModule,
      controllers: [GovernanceController, ExplainController, PoliciesController, ReplayController],
      providers: [
        // Awaited before the first ask is taken: nobody is told "unknown" because policies were still being read.
        { provide: GOVERNMENT, useFactory: () => govern(context) },
        { provide: JUDGE, inject: [GOVERNMENT], useFactory: ({ judge }: Government) => judge },
        {
          provide: SettingsDirectory,
          inject: [GOVERNMENT],
          useFactory: ({ directory }: Government) => directory,
        },
        { provide: GOVERNANCE_STATE, inject: [GOVERNMENT], useFactory: ({ state }: Government) => state },
        { provide: EXPLAINER, inject: [GOVERNMENT], useFactory: ({ explainer }: Government) => explainer },
        { provide: SIMULATOR, inject: [GOVERNMENT], useFactory: ({ simulator }: Government) => simulator },
        { provide: POLICY_DESKS, inject: [GOVERNMENT], useFactory: ({ desks }: Government) => desks },
        { provide: REHEARSALS, inject: [GOVERNMENT], useFactory: ({ rehearsals }: Government) => rehearsals },
        { provide: CallDesk, inject: [JUDGE], useFactory: (judge: Judge) => desk(context, judge) },
      ],
    };
  }
}

function desk({ bus, config }: ServiceContext, judge: Judge): CallDesk {
  return new CallDesk({
    judge,
    signatures: new GrantSignatures(grantKey(config.keys), offersOver(bus)),
    profile: config.profile,
    now: Date.now,
    approvalTimeoutMs: config.approvals.timeout_seconds * 1000,
  });
}

async function govern(context: ServiceContext): Promise<Government> {
  const { bus, config } = context;
  if (!config.governance.enabled && config.profile !== 'minimal')
    throw new Error('governance can be switched off in profile minimal only');
  const directory = liveDirectory(context);
  const government = config.governance.enabled
    ? await governWithCedar(context, directory)
    : governWithout(context, directory);
  directory.onChange((tenant) => {
    const version = government.judge.versionFor(tenant);
    bus.announce(policiesChanged, { tenant: TenantId.parse(tenant), version });
  });
  await directory.start();
  return government;
}

function liveDirectory({ bus, config, log }: ServiceContext): SettingsDirectory {
  const read = { bus, log, pollMs: settingsPollMs };
  return new SettingsDirectory({
    config,
    tenants: new SettingsReplica({ ...read, namespace: tenantNamespace, schema: StoredTenantSettings }),
    agents: new SettingsReplica({ bus, log, namespace: agentsNamespace, schema: AgentBody }),
    nativeTools: new SettingsReplica({ ...read, namespace: nativeToolsNamespace, schema: StoredNativeTools }),
  });
}

function governWithout(context: ServiceContext, directory: SettingsDirectory): Government {
  const judge = new PlainJudge({ directory, now: Date.now });
  const explainer = new PlainExplainer({ directory, profile: context.config.profile, now: Date.now });
  const state = new NoPolicies(knownTenants(context), directory);
  const rehearsals = new NoRehearsals();
  return { judge, directory, state, explainer, simulator: noSimulator, rehearsals, desks: { kind: 'off' } };
}

async function governWithCedar(context: ServiceContext, directory: SettingsDirectory): Promise<Government> {
  const { bus, config, log } = context;
  const files = new PolicyFiles(config.governance.policies_dir);
  const engine = await CedarEngine.start(await compileCedar());
  const kept = keptPolicies(context);
  const catalog = followCatalog(context, () => sets);
  const sets: PolicySets = new PolicySets({
    ...{ schemas: catalog.schemas, reviewed: catalog.reviewed },
    folder: files,
    written: kept.written,
    stage: engine,
    // What is asked while sets are loaded is about nobody: it needs no settings.
    directory: new ConfigDirectory(config),
    knownTenants: knownTenants(context),
    onSwap: (tenant, version, active) => {
      log.info({ tenant, version }, 'policies swapped');
      bus.announce(policiesChanged, { tenant: TenantId.parse(tenant), version });
      if (active !== undefined) void kept.versions.record(tenant, active);
    },
    onProblem: (tenant, problem) => log.error({ tenant, problem }, 'policies not loaded'),
  });
  const watch = folderWatch(context, files, sets);
  const state = new LivePolicies({
    ...{ engine, watch, directory, sets },
    ...{ written: kept.written, catalog: catalog.watch },
  });
  await state.start();
  const parts = { ...{ sets, engine, directory }, profile: config.profile, now: Date.now };
  const candidates = new Candidates(sets);
  const trying = { ...parts, texts: sets, stage: engine, candidates };
  const { rehearsals, listeners } = await rehearse(context, trying);
  const live = new CedarJudge({ ...parts, remembered: rememberedDecisions });
  const judge = new RepairJudge({ ...parts, judge: live, listeners }, repairs(parts));
  const [explainer, simulator] = [new CallExplainer(trying), new CallSimulator(trying)];
  const desks = policyDesks(sets, judge, { ...kept, candidates, schemas: catalog.schemas });
  return { judge, state, directory, explainer, simulator, rehearsals, desks };
}

function knownTenants({ config }: ServiceContext): readonly string[] {
  return [...new Set(['default', ...Object.keys(config.tenants)])];
}
