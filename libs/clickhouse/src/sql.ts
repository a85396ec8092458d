/** A value on its way into a query: it becomes a parameter, never text. */
export class Bound {
  constructor(
    readonly type: string,
    readonly value: unknown,
  ) {}
}

export const bind = (type: string, value: unknown): Bound => new Bound(type, value);

/** A function of our own, in SQL. A statement that names it gets it, and what it needs, in its WITH clause. */
export class Definition {
  constructor(
    readonly name: string,
    readonly body: string,
    readonly needs: readonly Definition[],
  ) {}
}

export const define = (name: string, body: string, needs: readonly Definition[] = []): Definition =>
  new Definition(name, body, needs);

/** Values that a statement looks up elsewhere: a subquery until somebody has asked for them, then a parameter. */
export class Lookup {
  private values: Bound | undefined;

  /** `question` answers with one column. */
  constructor(
    readonly type: string,
    readonly question: Sql,
  ) {}

  learn(values: readonly unknown[]): void {
    this.values = new Bound(`Array(${this.type})`, values);
  }

  get piece(): Sql | Bound {
    return this.values ?? sql`(${this.question})`;
  }
}

export interface RenderedSql {
  readonly query: string;
  readonly query_params: Record<string, unknown>;
}

type Piece = Sql | Bound | Definition | Lookup;

/** A piece of SQL. Pieces compose, and a value can only enter through `bind`. */
export class Sql {
  constructor(
    private readonly text: readonly string[],
    private readonly values: readonly Piece[],
  ) {}

  render(): RenderedSql {
    const rendering = new Rendering();
    const query = this.place(rendering);
    return { query: rendering.withClause() + query, query_params: rendering.params };
  }

  private place(rendering: Rendering): string {
    return this.text.reduce((before, after, i) => {
      const given = this.values[i - 1]!;
      const value = given instanceof Lookup ? given.piece : given;
      return (
        before + (value instanceof Sql ? value.place(rendering) : rendering.name(value)) + after
      );
    });
  }
}

/** What one statement has met so far. A value bound once is one parameter, however often it is placed. */
class Rendering {
  readonly params: Record<string, unknown> = {};
  private readonly bound = new Map<Bound, string>();
  private readonly defined = new Set<Definition>();

  name(piece: Bound | Definition): string {
    return piece instanceof Bound ? this.placeholder(piece) : this.define(piece);
  }

  withClause(): string {
    if (this.defined.size === 0) return '';
    return `WITH\n  ${[...this.defined].map(({ name, body }) => `${body} AS ${name}`).join(',\n  ')}\n`;
  }

  private placeholder(bound: Bound): string {
    const name = this.bound.get(bound) ?? `p${this.bound.size}`;
    this.bound.set(bound, name);
    this.params[name] = bound.value;
    return `{${name}:${bound.type}}`;
  }

  private define(definition: Definition): string {
    for (const needed of definition.needs) this.define(needed);
    this.defined.add(definition);
    return definition.name;
  }
}

export function sql(text: TemplateStringsArray, ...values: readonly Piece[]): Sql {
  return new Sql(text, values);
}

/** Text of our own, such as a column's name. Never something from a request. */
export const raw = (text: string): Sql => new Sql([text], []);

/** Microseconds since 1970, as a moment that columns can be compared with. */
export const atMicros = (micros: number | undefined): Sql =>
  sql`fromUnixTimestamp64Micro(${bind('Int64', micros)}, 'UTC')`;

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
