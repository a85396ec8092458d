import { formatCount, formatMoney } from '../format.js';
import type { ModelCost } from './use-call.js';
import css from './cost-tab.module.css';

/** Tokens × price for each model, and whose price it was. */
export function CostTab({ costs }: { readonly costs: Readonly<Record<string, ModelCost>> }) {
  return (
    <div className={css.scroll}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">Part</th>
            <th scope="col">Tokens</th>
            <th scope="col">Price per million</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        {Object.entries(costs).map(([model, cost]) => (
          <tbody key={model}>
            <Line
              model={model}
              part="prompt"
              tokens={cost.prompt_tokens}
              price={cost.prompt_token_cost}
              cost={cost.prompt_tokens_total_cost}
            />
            <Line
              model=""
              part="completion"
              tokens={cost.completion_tokens}
              price={cost.completion_token_cost}
              cost={cost.completion_tokens_total_cost}
            />
            <tr>
              <td colSpan={5} className={css.note}>
                {cost.pricing_level === 'default'
                  ? 'Default price'
                  : `Price of the ${cost.pricing_level}`}
                , in force since {cost.effective_date.slice(0, 10)}
                {cacheCost(cost) > 0 && `; cached tokens cost ${formatMoney(cacheCost(cost))} more`}
              </td>
            </tr>
          </tbody>
        ))}
      </table>
    </div>
  );
}

const cacheCost = (cost: ModelCost): number =>
  (cost.cache_read_input_tokens_total_cost ?? 0) +
  (cost.cache_creation_input_tokens_total_cost ?? 0);

interface LineProps {
  readonly model: string;
  readonly part: string;
  readonly tokens: number;
  readonly price: number;
  readonly cost: number;
}

function Line({ model, part, tokens, price, cost }: LineProps) {
  return (
    <tr>
      <td>{model}</td>
      <td>{part}</td>
      <td className={css.number}>{formatCount(tokens)}</td>
      <td className={css.number}>{formatMoney(price * 1_000_000)}</td>
      <td className={css.number}>{formatMoney(cost)}</td>
    </tr>
  );
}
