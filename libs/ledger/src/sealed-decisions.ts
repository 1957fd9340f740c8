import type { Seal } from '@uar/keys';
import type { Ledger } from './ledger.js';
import type { Link } from './thread/link.js';

/** Bound to tenant and digest: sealed facts moved to other decisions do not open. */
function purposeOf(facts: { readonly tenant: string; readonly digest: string }): string {
  return `decision-facts ${JSON.stringify([facts.tenant, facts.digest])}`;
}

/** What decisions rest on leaves this side sealed. */
export function sealedDecisions(link: Link, seal: Seal): Pick<Ledger, 'recordDecisions' | 'readDecisions'> {
  return {
    recordDecisions(ask) {
      const facts = ask.facts.map((one) => ({
        ...one,
        facts_json: seal.seal(one.facts_json, purposeOf(one)),
      }));
      return link.ask('recordDecisions', { ...ask, facts });
    },
    async readDecisions(ask) {
      const page = await link.ask('readDecisions', ask);
      const facts = page.facts.map(({ digest, facts_json }) => ({
        digest,
        facts_json: seal.open(facts_json, purposeOf({ tenant: ask.tenant, digest })),
      }));
      return { ...page, facts };
    },
  };
}
