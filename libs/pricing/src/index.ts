export { costOf, totalOf, type Cost } from './call-cost.js';
export { decimalOf, unitsOf } from './decimal.js';
export { addedUsage, type ModelUsage } from './model-usage.js';
export { packagedPrices, parsePriceBook, PriceBookError, type PriceBook } from './price-book.js';
export { PriceList } from './price-list.js';
export type { Price } from './price.js';
export { PricedSql } from './priced.sql.js';
export {
  defaultPrices,
  defaultPricesHash,
  hashOfPrices,
  priceOf,
  pricesFor,
  pricesOfUsed,
  projectPrices,
  type HashedPrice,
  type StoredPrice,
} from './prices.sql.js';
export {
  agentModels,
  agentUsage,
  projectModels,
  projectUsage,
  rootUsage,
  USAGE_COUNTS,
  type ProjectTime,
} from './project-usage.sql.js';
export { whatIfOf, type WhatIf, type WhatIfModel } from './what-if.js';
export { whatIf, type WhatIfRow } from './what-if.sql.js';
export { dayOf, priceChanges, type PriceChange } from './price-changes.js';
