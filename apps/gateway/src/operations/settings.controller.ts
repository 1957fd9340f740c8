import { Controller, Inject, Req, Res } from '@nestjs/common';
import { NativeToolSettingsBody, TenantSettingsBody, operatorTenant, type Principal } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS, notAvailableOf, storedPartOf, type Settings } from '../domain/settings/documents.js';
import type { Shown } from '../domain/settings/settings-desk.js';
import { sendJson } from '../http/answer.js';
import { NoQuery } from '../http/asks.js';
import { readBody, readQuery } from '../http/read.js';
import { Refusal, forbidden, notAvailable } from '../http/refusal.js';
import { callerOf } from '../http/request.js';
import { Serves } from '../http/route.js';
import { settingsRoutes as routes } from './settings-routes.js';

/** API.md 7: what may be changed without a restart. */
@Controller()
export class SettingsController {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  @Serves(routes.readTenantSettings)
  async readTenant(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { desk, tenant } = this.settings;
    send(reply, await desk.read(tenant, callerOf(request).principal));
  }

  @Serves(routes.putTenantSettings)
  async putTenant(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { desk, tenant } = this.settings;
    const body = readBody(request.body, TenantSettingsBody);
    send(reply, await desk.change(tenant, callerOf(request).principal, body));
  }

  @Serves(routes.readNativeToolSettings)
  async readNativeTools(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { desk, nativeTools } = this.settings;
    send(reply, await desk.read(nativeTools, operatorOf(request)));
  }

  @Serves(routes.putNativeToolSettings)
  async putNativeTools(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { desk, nativeTools } = this.settings;
    const operator = operatorOf(request);
    const body = readBody(request.body, NativeToolSettingsBody);
    const missing = notAvailableOf(body);
    if (missing.length > 0)
      throw new Refusal(422, 'not_available', {
        message: 'This version does not have what these switches turn on.',
        details: { members: missing },
      });
    send(reply, await desk.change(nativeTools, operator, storedPartOf(body)));
  }
}

/** Folders and limits of the host are those of every tenant: another tenant's administrator neither sees nor sets them. */
function operatorOf(request: FastifyRequest): Principal {
  const { principal } = callerOf(request);
  if (principal.tenant !== operatorTenant) throw forbidden();
  return principal;
}

function send(reply: FastifyReply, shown: Shown): void {
  switch (shown.kind) {
    case 'shown':
      return sendJson(reply, shown.settings);
    case 'conflict':
      throw new Refusal(409, 'conflict', {
        message: 'Somebody else changed these settings; read them again.',
      });
    case 'unreadable':
      throw new Refusal(409, 'settings_unreadable', {
        message: 'What is stored cannot be read. A PUT that names every member replaces it.',
        details: { missing: shown.missing },
      });
    case 'unavailable':
      throw notAvailable();
  }
}
