/** A value on its way into a query: it becomes a parameter, never text. */
export class Bound {
  constructor(
    readonly type: string,
    readonly value: unknown,
  ) {}
}

export const bind = (type: string, value: unknown): Bound => new Bound(type, value);

export interface RenderedSql {
  readonly query: string;
  readonly query_params: Record<string, unknown>;
}

/** A piece of SQL. Pieces compose, and a value can only enter through `bind`. */
export class Sql {
  constructor(
    private readonly text: readonly string[],
    private readonly values: readonly (Sql | Bound)[],
  ) {}

  render(): RenderedSql {
    const query_params: Record<string, unknown> = {};
    return { query: this.place(query_params), query_params };
  }

  private place(params: Record<string, unknown>): string {
    return this.text.reduce((before, after, i) => {
      const value = this.values[i - 1]!;
      return (
        before + (value instanceof Sql ? value.place(params) : placeholder(value, params)) + after
      );
    });
  }
}

function placeholder({ type, value }: Bound, params: Record<string, unknown>): string {
  const name = `p${Object.keys(params).length}`;
  params[name] = value;
  return `{${name}:${type}}`;
}

export function sql(text: TemplateStringsArray, ...values: readonly (Sql | Bound)[]): Sql {
  return new Sql(text, values);
}

/** Text of our own, such as a column's name. Never something from a request. */
export const raw = (text: string): Sql => new Sql([text], []);

export function join(pieces: readonly Sql[], separator: string): Sql {
  if (pieces.length === 0) return raw('');
  const between = pieces.slice(1).map(() => separator);
  return new Sql(['', ...between, ''], pieces);
}

type Condition = Sql | null | undefined | false;

/** All conditions that are there; true when there are none. */
export function and(conditions: readonly Condition[]): Sql {
  const present = conditions.filter((one): one is Sql => Boolean(one));
  return present.length === 0 ? raw('true') : join(present, ' AND ');
}
