import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import type { Bus } from '@uar/bus';
import { definitionDigest } from '@uar/catalog';
import { processEnvironment, type Environment } from '@uar/config';
import { callProgressed } from '@uar/contracts';
import { createGrantVerifier, type GrantVerifier } from '@uar/grant';
import {
  createJweRecipient,
  createSeal,
  ensureSecretFile,
  readPublicKey,
  type JweRecipient,
} from '@uar/keys';
import type { ServiceContext } from '@uar/service';
import type { Log } from '@uar/telemetry';
import { BusClients } from './adapters/asked/bus-clients.js';
import { Beacon } from './adapters/beacon.js';
import { addressRules } from './adapters/http/address-rules.js';
import { AccountNews } from './adapters/accounts/account-news.js';
import { holdCallerToken } from './adapters/accounts/hold-caller-token.js';
import { LedgerAuthorizations } from './adapters/accounts/ledger-authorizations.js';
import { LedgerCredentials } from './adapters/accounts/ledger-credentials.js';
import { OAuthServers } from './adapters/accounts/oauth-servers.js';
import { OAuth } from './adapters/oauth/oauth.js';
import { createOpenUpstream } from './adapters/opening/open-upstream.js';
import { systemClock } from './adapters/system-clock.js';
import { variableLookup } from './adapters/variables.js';
import { WantedServers } from './adapters/wanted-servers.js';
import { ConnectionsController } from './connections.controller.js';
import { Accounts } from './domain/account/accounts.js';
import { CallerTokens } from './domain/exchange/caller-tokens.js';
import { Connections, type ConnectionParts } from './domain/account/connections.js';
import { CallsController, KEY_AGREEMENT } from './calls.controller.js';
import { HostCalls, type CheckGrant } from './domain/calls/host-calls.js';
import { expandServer } from './domain/expand/placeholders.js';
import { Fleet } from './domain/fleet.js';
import { expandedServer, type ConnectPorts } from './domain/link/connect.js';
import { ItemsController } from './items.controller.js';
import { CONNECT_PORTS, ServersController } from './servers.controller.js';

/** Frames carry a result and what JSON-RPC puts around it. */
const frameSlackBytes = 64 * 1024;
const childGraceMs = 5_000;

interface ConnectionWorld {
  readonly bus: Bus;
  readonly fleet: Fleet;
  readonly accounts: Accounts;
  readonly parts: Omit<ConnectionParts, 'accounts' | 'find' | 'expand'>;
  readonly ports: ConnectPorts;
}

interface CallWorld {
  readonly grants: GrantVerifier;
  readonly fleet: Fleet;
  readonly recipient: JweRecipient;
  readonly callers: CallerTokens;
}

@Module({})
export class McpConnectorModule {
  static with(context: ServiceContext): DynamicModule {
    const { bus, log } = context;
    const parts = accountParts(context);
    const callers = new CallerTokens(systemClock.now);
    const accounts = accountsOf(parts, callers, log);
    const recipient = createJweRecipient();
    const ports = connectPorts(context, accounts, processEnvironment());
    const fleet: Fleet = new Fleet(
      {
        ...ports,
        random: Math.random,
        clients: new BusClients(bus),
        onSeatFailed: ({ tenant, name: server }, last_error) =>
          log.warn({ tenant, server, last_error }, 'a session for a seat could not be opened'),
        onChange: () => beacon.changed(),
        onFault: (error) => log.error({ error }, 'fault while connecting a server'),
      },
      childGraceMs,
    );
    const beacon = new Beacon({
      ...{ bus, log, reports: () => fleet.reports() },
      tokenKey: recipient.publicJwk,
    });
    const wanted = new WantedServers({ bus, clock: systemClock, apply: (servers) => fleet.apply(servers) });
    const grants = grantVerifier(context);
    const calls = hostCalls(context, { grants, fleet, recipient, callers });
    return {
      module: McpConnectorModule,
      controllers: [CallsController, ItemsController, ServersController, ConnectionsController],
      providers: [
        { provide: CONNECT_PORTS, useValue: ports },
        { provide: Fleet, useValue: fleet },
        { provide: Beacon, useValue: beacon },
        { provide: WantedServers, useValue: wanted },
        { provide: HostCalls, useValue: calls },
        { provide: KEY_AGREEMENT, useValue: grants },
        ...connectionProviders({ bus, fleet, accounts, parts, ports }),
      ],
    };
  }
}

function accountsOf(parts: ConnectionWorld['parts'], callers: CallerTokens, log: Log): Accounts {
  return new Accounts({
    ...{ ...parts, callers },
    onNotExchanged: ({ tenant, server }, message) =>
      log.warn({ tenant, server, message }, 'the token of a caller could not be exchanged'),
  });
}

function hostCalls(context: ServiceContext, { grants, fleet, ...tokens }: CallWorld): HostCalls {
  const { bus, log } = context;
  return new HostCalls({
    fleet,
    checkGrant: grantCheck(grants),
    holdCallerToken: holdCallerToken({ ...tokens, log }),
    onProgress: (call_id, params_json) => void bus.announce(callProgressed, { call_id, params_json }),
    now: systemClock.now,
  });
}

function connectionProviders({ bus, fleet, accounts, parts, ports }: ConnectionWorld): Provider[] {
  const connections = new Connections({ ...parts, accounts, ...serversOf(fleet, ports) });
  return [
    { provide: AccountNews, useValue: new AccountNews({ bus, accounts, fleet }) },
    { provide: Connections, useValue: connections },
  ];
}

function serversOf(fleet: Fleet, ports: ConnectPorts): Pick<ConnectionParts, 'find' | 'expand'> {
  return {
    find: ({ tenant, server }) => fleet.find(tenant, server)?.target.config,
    expand: ({ tenant, server: name }, config) => expandedServer({ tenant, name, config }, ports),
  };
}

function accountParts({ bus, config }: ServiceContext): ConnectionWorld['parts'] {
  const addresses = addressRules(config.mcp.allowed_private_networks);
  const seal = createSeal(ensureSecretFile(config.keys.data_key_file));
  return {
    store: new LedgerCredentials(bus, seal),
    authorizations: new LedgerAuthorizations(bus, seal),
    servers: new OAuthServers(new OAuth({ addresses, now: systemClock.now })),
    clock: systemClock,
  };
}

function connectPorts(
  { config, log }: ServiceContext,
  accounts: Accounts,
  environment: Environment,
): ConnectPorts {
  const isFull = config.profile === 'server-full';
  const lookup = variableLookup({ environment, secretsDir: environment['UAR_SECRETS_DIR'] });
  const rules = isFull ? { lookup, allowed: config.mcp.placeholder_allow } : { lookup };
  return {
    expand: (server) => expandServer(server, rules),
    digestOf: definitionDigest,
    clock: systemClock,
    open: createOpenUpstream({
      environment,
      dataDir: config.data_dir,
      defaultSandbox: isFull ? 'required' : 'auto',
      addresses: addressRules(config.mcp.allowed_private_networks),
      accounts,
      maxFrameBytes: config.limits.result_kb * 1024 + frameSlackBytes,
      stopGraceMs: childGraceMs,
      // The name alone: the message may quote what the upstream sent.
      onFault: (error) => log.error({ fault: nameOf(error) }, 'an upstream sent what could not be read'),
    }),
  };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

function grantVerifier({ bus, config }: ServiceContext): GrantVerifier {
  const publicKeys = [readPublicKey(config.keys.grant_public_file)];
  return createGrantVerifier({ publicKeys, host: 'mcp', instance: bus.instance });
}

function grantCheck(verifier: GrantVerifier): CheckGrant {
  return (grant, expected) => {
    const verified = verifier.verify(grant, expected);
    if (verified.kind === 'refused') return verified;
    const { principal, expires_at: expiresAt } = verified.claims;
    return { kind: 'valid', principal, expiresAt };
  };
}
