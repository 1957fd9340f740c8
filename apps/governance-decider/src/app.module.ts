import { Module, type DynamicModule } from '@nestjs/common';
import { TenantId, policiesChanged } from '@uar/contracts';
import type { ServiceContext } from '@uar/service';
import { CedarEngine, compileCedar } from './adapters/cedar/engine.js';
import { ConfigDirectory } from './adapters/config-directory.js';
import { GrantSignatures, grantKey } from './adapters/grant-signatures.js';
import { LivePolicies } from './adapters/live-policies.js';
import { PolicyFiles } from './adapters/policy-folder.js';
import { PolicyWatch } from './adapters/policy-watch.js';
import { CallDesk } from './domain/decide/call-desk.js';
import { CedarJudge } from './domain/decide/cedar-judge.js';
import { PlainJudge } from './domain/decide/plain-judge.js';
import type { Judge } from './domain/decide/verdict.js';
import { NoPolicies, type GovernanceState } from './domain/governance-state.js';
import { PolicySets } from './domain/policy/policy-sets.js';
import { GovernanceController } from './governance.controller.js';
import { GOVERNANCE_STATE, JUDGE } from './tokens.js';

const rememberedDecisions = 10_000;

interface Government {
  readonly judge: Judge;
  readonly state: GovernanceState;
}

const GOVERNMENT = Symbol('governance.government');

@Module({})
export class AppModule {
  static with(context: ServiceContext): DynamicModule {
    return {
      module: AppModule,
      controllers: [GovernanceController],
      providers: [
        // Awaited before the first ask is taken: nobody is told "unknown" because policies were still being read.
        { provide: GOVERNMENT, useFactory: () => govern(context) },
        { provide: JUDGE, inject: [GOVERNMENT], useFactory: ({ judge }: Government) => judge },
        { provide: GOVERNANCE_STATE, inject: [GOVERNMENT], useFactory: ({ state }: Government) => state },
        { provide: CallDesk, inject: [JUDGE], useFactory: (judge: Judge) => desk(context, judge) },
      ],
    };
  }
}

function desk({ config }: ServiceContext, judge: Judge): CallDesk {
  return new CallDesk({
    judge,
    signatures: new GrantSignatures(grantKey(config.keys)),
    profile: config.profile,
    now: Date.now,
    approvalTimeoutMs: config.approvals.timeout_seconds * 1000,
  });
}

async function govern(context: ServiceContext): Promise<Government> {
  const { config } = context;
  const directory = new ConfigDirectory(config);
  if (config.governance.enabled) return governWithCedar(context, directory);
  if (config.profile !== 'minimal') throw new Error('governance can be switched off in profile minimal only');
  const judge = new PlainJudge({ directory, now: Date.now });
  return { judge, state: new NoPolicies(knownTenants(context)) };
}

async function governWithCedar(context: ServiceContext, directory: ConfigDirectory): Promise<Government> {
  const { bus, config, log } = context;
  const files = new PolicyFiles(config.governance.policies_dir);
  const engine = await CedarEngine.start(await compileCedar());
  const sets = new PolicySets({
    folder: files,
    stage: engine,
    directory,
    knownTenants: knownTenants(context),
    onSwap: (tenant, version) => {
      log.info({ tenant, version }, 'policies swapped');
      bus.announce(policiesChanged, { tenant: TenantId.parse(tenant), version });
    },
    onProblem: (tenant, problem) => log.error({ tenant, problem }, 'policies not loaded'),
  });
  const watch = new PolicyWatch({
    folder: config.governance.policies_dir,
    fingerprint: () => files.fingerprint(),
    reload: (options) => sets.reload(options),
  });
  const state = new LivePolicies({ engine, watch, status: () => sets.status() });
  await state.start();
  const judge = new CedarJudge({
    ...{ sets, engine, directory },
    remembered: rememberedDecisions,
    profile: config.profile,
    now: Date.now,
  });
  return { judge, state };
}

function knownTenants({ config }: ServiceContext): readonly string[] {
  return [...new Set(['default', ...Object.keys(config.tenants)])];
}
