import type { Micros, Millis } from '@app/wire';

/** A value that becomes a query parameter, never SQL text. */
export class Bound {
  constructor(
    readonly type: string,
    readonly value: unknown,
  ) {}
}

export const bind = (type: string, value: unknown): Bound => new Bound(type, value);

/** A SQL function. A statement that uses it defines it, and the functions it needs, in its WITH clause. */
export class Definition {
  constructor(
    readonly name: string,
    readonly body: string,
    readonly needs: readonly Definition[],
  ) {}
}

export const define = (name: string, body: string, needs: readonly Definition[] = []): Definition =>
  new Definition(name, body, needs);

/** Values from a subquery. After the caller has executed the subquery and called `resolve`, they become a parameter. */
export class Lookup {
  private values: Bound | undefined;

  /** `query` returns one column. */
  constructor(
    readonly type: string,
    readonly query: Sql,
  ) {}

  resolve(values: readonly unknown[]): void {
    this.values = new Bound(`Array(${this.type})`, values);
  }

  get fragment(): Sql | Bound {
    return this.values ?? sql`(${this.query})`;
  }
}

export interface RenderedSql {
  readonly query: string;
  readonly query_params: Record<string, unknown>;
}

type Part = Sql | Bound | Definition | Lookup;

/** A fragment of SQL. Fragments compose, and values enter only through `bind`. */
export class Sql {
  constructor(
    private readonly text: readonly string[],
    private readonly parts: readonly Part[],
  ) {}

  render(): RenderedSql {
    const rendering = new Rendering();
    const query = this.renderInto(rendering);
    return { query: rendering.withClause() + query, query_params: rendering.params };
  }

  private renderInto(rendering: Rendering): string {
    return this.text.reduce((before, after, i) => {
      const part = this.parts[i - 1]!;
      const value = part instanceof Lookup ? part.fragment : part;
      return (
        before +
        (value instanceof Sql ? value.renderInto(rendering) : rendering.name(value)) +
        after
      );
    });
  }
}

/** Parameters and functions of one statement. A value bound once is one parameter, however often it is used. */
class Rendering {
  readonly params: Record<string, unknown> = {};
  private readonly bound = new Map<Bound, string>();
  private readonly defined = new Set<Definition>();

  name(part: Bound | Definition): string {
    return part instanceof Bound ? this.placeholder(part) : this.define(part);
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

export function sql(text: TemplateStringsArray, ...parts: readonly Part[]): Sql {
  return new Sql(text, parts);
}

/** Constant SQL text, such as a column name. Never text from a request. */
export const raw = (text: string): Sql => new Sql([text], []);

/** A time that columns can be compared with. */
export const atMicros = (time: Micros | undefined): Sql =>
  sql`fromUnixTimestamp64Micro(${bind('Int64', time)}, 'UTC')`;
export const atMillis = (time: Millis): Sql =>
  sql`fromUnixTimestamp64Milli(${bind('Int64', time)}, 'UTC')`;

export function join(fragments: readonly Sql[], separator: string): Sql {
  if (fragments.length === 0) return raw('');
  const between = fragments.slice(1).map(() => separator);
  return new Sql(['', ...between, ''], fragments);
}

type Condition = Sql | null | undefined | false;

/** The conjunction of the conditions that are not empty; true when there are none. */
export function and(conditions: readonly Condition[]): Sql {
  const present = conditions.filter((one): one is Sql => Boolean(one));
  return present.length === 0 ? raw('true') : join(present, ' AND ');
}
