import { Controller, Inject, Req, Res } from '@nestjs/common';
import { BUS, type Bus } from '@uar/bus';
import {
  DeletePoliciesBody,
  ProposeBody,
  PutPoliciesBody,
  ValidateBody,
  listPolicyVersions,
  listProposals,
  proposePolicies,
  readPolicies,
  readPolicySchema,
  readProposal,
  validatePolicies,
  withdrawProposal,
  writePolicies,
  type AskOf,
  type PolicyChange,
} from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { sendJson } from '../http/answer.js';
import { NoQuery } from '../http/asks.js';
import { asked } from '../http/asked.js';
import { policyRoutes as routes } from './policy-routes.js';
import { policyRefusal } from './policy-refusal.js';
import { readBody, readQuery } from '../http/read.js';
import { callerOf, pathParameter } from '../http/request.js';
import { Serves } from '../http/route.js';

/** API.md 6: what administers policies. The decider rehearses, compares, asks Cedar and writes, in this order. */
@Controller()
export class PoliciesController {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  @Serves(routes.readPolicies)
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const answer = await asked(this.bus, readPolicies, this.ofTenant(request));
    if (answer.kind !== 'read') throw policyRefusal(answer);
    sendJson(reply, answer.view);
  }

  @Serves(routes.putPolicies)
  async put(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const body = readBody(request.body, PutPoliciesBody);
    await this.write(request, reply, { change: changeOf(body), ...body });
  }

  @Serves(routes.deletePolicies)
  async remove(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const body = readBody(request.body, DeletePoliciesBody);
    await this.write(request, reply, { change: { kind: 'folder' }, ...body });
  }

  @Serves(routes.listPolicyVersions)
  async versions(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const answer = await asked(this.bus, listPolicyVersions, this.ofTenant(request));
    if (answer.kind !== 'listed') throw policyRefusal(answer);
    sendJson(reply, { versions: answer.versions });
  }

  @Serves(routes.validatePolicies)
  async validate(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { policies } = readBody(request.body, ValidateBody);
    const answer = await asked(this.bus, validatePolicies, { ...this.ofTenant(request), policies });
    if (answer.kind !== 'checked') throw policyRefusal(answer);
    const { findings } = answer;
    sendJson(reply, { valid: findings.errors.length === 0, ...findings });
  }

  @Serves(routes.proposePolicies)
  async propose(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const body = readBody(request.body, ProposeBody);
    const { principal } = callerOf(request);
    const answer = await asked(this.bus, proposePolicies, { principal, ...body });
    if (answer.kind !== 'proposed') throw policyRefusal(answer);
    sendJson(reply, answer.proposal, { status: 201 });
  }

  @Serves(routes.listProposals)
  async proposals(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const answer = await asked(this.bus, listProposals, this.ofTenant(request));
    if (answer.kind !== 'listed') throw policyRefusal(answer);
    sendJson(reply, { proposals: answer.proposals });
  }

  @Serves(routes.readProposal)
  async proposal(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const proposal_id = pathParameter(request, 'id');
    const answer = await asked(this.bus, readProposal, { ...this.ofTenant(request), proposal_id });
    if (answer.kind !== 'found') throw policyRefusal(answer);
    sendJson(reply, { ...answer.proposal, policies: answer.policies });
  }

  @Serves(routes.withdrawProposal)
  async withdraw(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const proposal_id = pathParameter(request, 'id');
    const answer = await asked(this.bus, withdrawProposal, { caller: callerOf(request), proposal_id });
    if (answer.kind !== 'withdrawn') throw policyRefusal(answer);
    sendJson(reply, { withdrawn: true });
  }

  @Serves(routes.readPolicySchema)
  async schema(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const answer = await asked(this.bus, readPolicySchema, this.ofTenant(request));
    if (answer.kind !== 'read') throw policyRefusal(answer);
    sendJson(reply, answer.view);
  }

  private ofTenant(request: FastifyRequest) {
    readQuery(request.query, NoQuery);
    return { tenant: callerOf(request).principal.tenant };
  }

  private async write(
    request: FastifyRequest,
    reply: FastifyReply,
    { change, if_version, dry_run }: Omit<AskOf<typeof writePolicies>, 'caller'>,
  ): Promise<void> {
    const ask = { caller: callerOf(request), change, if_version, dry_run };
    const answer = await asked(this.bus, writePolicies, ask);
    if (answer.kind !== 'written' && answer.kind !== 'would_write') throw policyRefusal(answer);
    sendJson(reply, answer.view);
  }
}

function changeOf(body: z.output<typeof PutPoliciesBody>): PolicyChange {
  if ('policies' in body) return { kind: 'texts', policies: body.policies };
  if ('version' in body) return { kind: 'version', version: body.version };
  return { kind: 'proposal', proposal_id: body.proposal_id };
}
