import type { RecordFact } from './record-fact.js';

/** Where a price stands: it is found by these, and taken away by them. */
export interface PriceKey {
  readonly id: string;
  readonly llmId: string;
  /** Microseconds since 1970. */
  readonly effectiveDate: number;
}

/** Per token, as decimal text, in a currency. */
export interface PriceFigures {
  readonly prompt: string;
  readonly completion: string;
  readonly cacheRead: string;
  readonly cacheWrite: string;
  readonly promptUnit: string;
  readonly completionUnit: string;
}

/** A project has a price for a model. */
export type PriceSet = RecordFact<
  'PriceSet',
  PriceKey & PriceFigures & { readonly providerId: string }
>;

export type PricePurged = RecordFact<'PricePurged', PriceKey>;

export type CostFact = PriceSet | PricePurged;
