import type { Micros } from '@app/wire';
import type { RecordFact } from './record-fact.js';

/** The key of a price. */
export interface PriceKey {
  readonly id: string;
  readonly llmId: string;
  readonly effectiveDate: Micros;
}

/** Prices per token as decimal text, with their currencies. */
interface PriceFigures {
  readonly prompt: string;
  readonly completion: string;
  readonly cacheRead: string;
  readonly cacheWrite: string;
  readonly promptUnit: string;
  readonly completionUnit: string;
}

/** A project set a price for a model. */
export type PriceSet = RecordFact<
  'PriceSet',
  PriceKey & PriceFigures & { readonly providerId: string }
>;

export type PricePurged = RecordFact<'PricePurged', PriceKey>;

export type CostFact = PriceSet | PricePurged;
