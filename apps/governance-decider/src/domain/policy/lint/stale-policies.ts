import type { PolicySet } from '../policy-set.js';
import type { PolicyProblem } from './problem.js';
import { findingsOfSet } from './set-lint.js';
import type { ToolSchemas } from './tool-schema.js';

export interface ActiveTexts {
  readonly tenant: string;
  readonly set: PolicySet;
  readonly texts: Readonly<Record<string, string>>;
}

export interface StalePoliciesParts {
  readonly active: () => readonly ActiveTexts[];
  readonly schemas: ToolSchemas;
  /** What would keep the set from being loaded now; empty when nothing does any more. */
  readonly onStale: (tenant: string, problems: readonly PolicyProblem[]) => void;
  /** Between sets, so that a change of the catalog never holds up a decision for long. */
  readonly pause: () => Promise<void>;
}

interface Reviewed {
  readonly version: string;
  readonly findings: readonly PolicyProblem[];
}

/**
 * Active sets against a catalog that changed under them (GOVERNANCE.md 3): what they mention may be there no more. That is
 * told, and nothing else happens: a set that is in force stays in force.
 */
export class StalePolicies {
  readonly #reviewed = new Map<string, Reviewed>();
  #turn: Promise<void> = Promise.resolve();
  #waiting = false;

  constructor(private readonly parts: StalePoliciesParts) {}

  /** Findings about a tenant's set as it is in force; nothing when that set was not reviewed since it came into force. */
  of(tenant: string, version: string): readonly PolicyProblem[] | undefined {
    const reviewed = this.#reviewed.get(tenant);
    return reviewed?.version === version ? reviewed.findings : undefined;
  }

  /** One review at a time; changes that come meanwhile share the next one. */
  review(): Promise<void> {
    if (this.#waiting) return this.#turn;
    this.#waiting = true;
    const before = this.#turn.catch(() => undefined);
    this.#turn = before.then(async () => {
      await this.parts.pause();
      this.#waiting = false;
      await this.#reviewAll();
    });
    return this.#turn;
  }

  async #reviewAll(): Promise<void> {
    const active = this.parts.active();
    const tenants = new Set(active.map(({ tenant }) => tenant));
    for (const tenant of this.#reviewed.keys()) if (!tenants.has(tenant)) this.#reviewed.delete(tenant);
    for (const one of active) {
      this.#review(one);
      await this.parts.pause();
    }
  }

  #review({ tenant, set, texts }: ActiveTexts): void {
    const tools = this.parts.schemas.of(tenant);
    if (tools === undefined) return;
    const before = errorsIn(this.#reviewed.get(tenant)?.findings ?? []);
    const findings = findingsOfSet(set, texts, tools);
    this.#reviewed.set(tenant, { version: set.version, findings });
    const now = errorsIn(findings);
    if (JSON.stringify(now) !== JSON.stringify(before)) this.parts.onStale(tenant, now);
  }
}

function errorsIn(findings: readonly PolicyProblem[]): readonly PolicyProblem[] {
  return findings.filter(({ severity }) => severity === 'error');
}
