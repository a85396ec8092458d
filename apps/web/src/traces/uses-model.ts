import { type Expr, field, literal } from '@app/query-language/text';

/** A call used a model when its usage has the model's name. */
export function usesModel(model: string): Expr {
  const path = `summary.usage.${model.replace(/[.\\]/g, '\\$&')}`;
  return { $not: [{ $eq: [field(path), literal(null)] }] };
}
