import { hash } from 'node:crypto';
import { RunId, principalId, type Principal } from '@uar/contracts';
import type { Runs } from '../domain/run/runs.js';
import { newRunId } from './new-ids.js';

/** The runs of this process. Implicit runs are computed, the others live from `open` to `close`. */
export class RunTable implements Runs {
  private readonly owners = new Map<string, string>();
  private readonly implicitOf = new WeakMap<Principal, RunId>();

  implicit(principal: Principal): RunId {
    const known = this.implicitOf.get(principal);
    if (known !== undefined) return known;
    const made = RunId.parse(`run_${hash('sha256', ownerOf(principal), 'hex').slice(0, 32)}`);
    this.implicitOf.set(principal, made);
    return made;
  }

  open(principal: Principal): RunId {
    const runId = newRunId();
    this.owners.set(runId, ownerOf(principal));
    return runId;
  }

  close(runId: RunId): void {
    this.owners.delete(runId);
  }

  own(principal: Principal, runId: string): RunId | undefined {
    const implicit = this.implicit(principal);
    if (runId === implicit) return implicit;
    const owner = this.owners.get(runId);
    return owner === ownerOf(principal) ? RunId.parse(runId) : undefined;
  }
}

function ownerOf(principal: Principal): string {
  return JSON.stringify([principalId(principal), principal.issuer, principal.agent_id ?? '']);
}
