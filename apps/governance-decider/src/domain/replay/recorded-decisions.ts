import type { AskOf, RecordedDecision, RecordedFacts, readDecisions } from '@uar/contracts';

export type DecisionPage =
  | {
      readonly kind: 'page';
      /** Newest first. */
      readonly decisions: readonly RecordedDecision[];
      /** By digest. */
      readonly facts: ReadonlyMap<string, RecordedFacts>;
      readonly next?: number;
    }
  | { readonly kind: 'unavailable'; readonly cause: string };

/** The decisions that were recorded. */
export interface RecordedDecisions {
  /** Resolves once all decisions made so far are where `page` reads. */
  settle(): Promise<void>;
  page(ask: AskOf<typeof readDecisions>): Promise<DecisionPage>;
}
