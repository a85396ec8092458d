export { costOf, totalOf, type BilledTokens, type Cost } from './call-cost.js';
export { decimalOf, unitsOf } from './decimal.js';
export {
  packagedPrices,
  parsePriceBook,
  PriceBookError,
  type BookPrice,
  type PriceBook,
} from './price-book.js';
export { PriceList, timelineOf, type Segment } from './price-list.js';
export type { Price } from './price.js';
export { PricedSql, type Part } from './priced.sql.js';
export {
  defaultPrices,
  priceOf,
  pricesFor,
  pricesOfProjects,
  pricesOfUsed,
  type StoredPrice,
} from './prices.sql.js';
export { dayOf, FIGURES, priceChanges, type Figure, type PriceChange } from './price-changes.js';
