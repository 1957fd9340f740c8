import { Controller, Inject, Req, Res } from '@nestjs/common';
import { ExplainBody, SimulateBody, simulationBounds, type Caller, type PrincipalSpec } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IDENTITY, type Identity } from '../domain/access/identity.js';
import { CALL_EXPLANATIONS, type CallExplanations } from '../domain/explain/explanation.js';
import { SIMULATIONS, type SimulationOutcome, type Simulations } from '../domain/explain/simulation.js';
import { callerOf as specCaller, unexpired } from '../domain/explain/spec-caller.js';
import { sendJson } from '../http/answer.js';
import { NoQuery } from '../http/asks.js';
import { trialRoutes as routes } from './trial-routes.js';
import { policyRefusal } from './policy-refusal.js';
import { readBodyWithArguments, readBodyWithArgumentsByName, readQuery } from '../http/read.js';
import { Refusal, forbidden, notAvailable } from '../http/refusal.js';
import { callerOf } from '../http/request.js';
import { Serves } from '../http/route.js';

const ExplainRest = ExplainBody.omit({ arguments: true });
const SimulateRest = SimulateBody.omit({ arguments: true });

/** Why a call would be decided as it would be (API.md 6). */
@Controller()
export class ExplainController {
  constructor(
    @Inject(CALL_EXPLANATIONS) private readonly explanations: CallExplanations,
    @Inject(SIMULATIONS) private readonly simulations: Simulations,
    @Inject(IDENTITY) private readonly identity: Identity,
  ) {}

  @Serves(routes.explainCall)
  async explain(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { rest, argumentsJson } = readBodyWithArguments(request.body, ExplainRest);
    const { principal, tool: toolName, run_id: runId, at } = rest;
    const asking = callerOf(request);
    const caller = principal === undefined ? asking : this.spokenFor(principal, asking);
    const explained = await this.explanations.explain({
      ...{ caller: at === undefined ? caller : unexpired(caller), toolName, argumentsJson },
      ...(runId === undefined ? {} : { runId }),
      ...(at === undefined ? {} : { at: Date.parse(at) }),
    });
    if (explained.kind === 'unavailable') throw notAvailable();
    sendJson(reply, explained.view);
  }

  @Serves(routes.simulateCalls)
  async simulate(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { rest, argumentTexts } = readBodyWithArgumentsByName(request.body, SimulateRest);
    const { principals, policies, tools } = rest;
    const asking = callerOf(request);
    const outcome = await this.simulations.simulate(
      {
        tenant: asking.principal.tenant,
        callers: principals.map((spec) => this.spokenFor(spec, asking)),
        argumentTexts,
        ...(policies === undefined ? {} : { policies }),
        ...(tools === undefined ? {} : { tools }),
      },
      simulationBounds.cells,
    );
    if (outcome.kind !== 'simulated') throw refusalOf(outcome);
    sendJson(reply, outcome.view);
  }

  private spokenFor(spec: PrincipalSpec, asking: Caller): Caller {
    const spoken = specCaller(spec, asking, this.identity);
    if (spoken.kind === 'other_tenant') throw forbidden();
    return spoken.caller;
  }
}

function refusalOf(outcome: Exclude<SimulationOutcome, { kind: 'simulated' }>): Refusal {
  switch (outcome.kind) {
    case 'too_many_cells': {
      const { cells } = outcome;
      const most = simulationBounds.cells;
      return new Refusal(422, 'too_many_cells', {
        message: `Principals by tools are ${cells} cells; at most ${most} are simulated at once.`,
        details: { cells, most },
      });
    }
    case 'too_large':
      return new Refusal(413, 'too_large', {
        message: 'Policies and arguments together are more than one simulation takes.',
      });
    case 'invalid':
    case 'busy':
    case 'off':
      return policyRefusal(outcome);
    case 'too_slow':
      return new Refusal(422, 'too_slow', {
        message: `The simulation would take longer than ${outcome.most_ms} ms; ask for fewer tools or principals.`,
        details: { most_ms: outcome.most_ms },
      });
    case 'unavailable':
      return notAvailable();
  }
}
