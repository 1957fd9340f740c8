import type { CallId, Caller } from '@uar/contracts';
import { createGrantVerifier, type GrantVerifier } from '@uar/grant';
import { readPublicKey } from '@uar/keys';
import type { ServiceContext } from '@uar/service';
import type { BusHosts } from '../adapters/bus/hosts.js';
import type { BusPdp } from '../adapters/bus/pdp.js';
import type { Runs } from '../domain/run/runs.js';
import { systemClock } from '../adapters/clock.js';
import { OwnRequests } from '../runtime/own-requests.js';
import type { RuntimeCatalog } from '../runtime/runtime-catalog.js';
import { RuntimeFront } from '../runtime/runtime-front.js';
import { RuntimeHost, type CheckOwnGrant } from '../runtime/runtime-host.js';

/** The tools that this gateway executes itself: under grants, like those of any host. */
export function assembleRuntime(
  parts: {
    readonly context: ServiceContext;
    readonly runtime: RuntimeCatalog;
    readonly hosts: BusHosts;
    readonly pdp: BusPdp;
    readonly runs: Runs;
  },
  callerOf: (callId: CallId) => Caller | undefined,
) {
  const { context, runtime, hosts: elsewhere, pdp, runs } = parts;
  const requests = new OwnRequests();
  const checkGrant = grantCheck(context);
  return {
    requests,
    host: new RuntimeHost({ elsewhere, requests, checkGrant, callerOf, clock: systemClock }),
    front: new RuntimeFront({
      ...{ catalog: runtime, runs },
      discover: (caller, tools) => pdp.discover(caller, tools),
    }),
  };
}

/** The key is read at the first call: a gateway that is granted nothing needs none. */
function grantCheck({ bus, config }: ServiceContext): CheckOwnGrant {
  let verifier: GrantVerifier | undefined;
  return (call, argumentsDigest) => {
    verifier ??= createGrantVerifier({
      publicKeys: [readPublicKey(config.keys.grant_public_file)],
      host: 'gateway',
      instance: bus.instance,
    });
    const { grant, call_id, tenant, server, raw_name, definition_digest } = call;
    return verifier.verify(grant, {
      ...{ call_id, tenant, method: 'tools/call', server, raw_name, definition_digest },
      arguments_digest: argumentsDigest,
    });
  };
}
