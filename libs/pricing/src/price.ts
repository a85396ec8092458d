import type { Micros } from '@app/wire';

/** The prices of a model's tokens from `effectiveDate` on. Figures are decimal text, per token. */
export interface Price {
  readonly id: string;
  readonly level: 'project' | 'default';
  readonly levelId: string;
  readonly llmId: string;
  readonly providerId: string;
  readonly effectiveDate: Micros;
  readonly prompt: string;
  readonly completion: string;
  readonly cacheRead: string;
  readonly cacheWrite: string;
  readonly promptUnit: string;
  readonly completionUnit: string;
  readonly createdBy: string;
  readonly createdAt: Micros;
}
