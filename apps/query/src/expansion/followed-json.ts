import { bind, sql, type Sql } from '@app/clickhouse';
import { JsonText, type Undecided, type Json } from '@app/query-language';

/** What refs lead to: refs, and at the same places JSON texts, '' for nothing. */
export interface Followed {
  readonly refs: readonly string[];
  readonly texts: readonly string[];
}

/** A path that leads through a ref where there is one, and is an ordinary path of the call elsewhere. */
export class FollowedJson implements Json {
  readonly kind = 'json';
  private readonly isFollowed: Sql;
  private readonly behind: Json;

  /** `doubts` are those of `otherwise`; they count only for calls in which there is no ref. */
  constructor(
    ref: Json,
    { refs, texts }: Followed,
    private readonly otherwise: Json,
    private readonly doubts?: { readonly inner: Undecided[]; readonly outer: Undecided[] },
  ) {
    const text = ref.text();
    const known = bind('Array(String)', refs);
    this.isFollowed = sql`(${text} IN ${known})`;
    this.behind = new JsonText(
      sql`transform(${text}, ${known}, ${bind('Array(String)', texts)}, '')`,
      [],
    );
  }

  text = (): Sql => this.either((json) => json.text());
  number = (): Sql => this.either((json) => json.number());
  integer = (): Sql => this.either((json) => json.integer());
  bool = (): Sql => this.either((json) => json.bool());
  size = (): Sql => this.either((json) => json.size());
  exists = (): Sql => this.either((json) => json.exists());
  equalsAny = (texts: readonly string[]): Sql => this.either((json) => json.equalsAny(texts));
  contains = (substr: string, ignoresCase: boolean): Sql =>
    this.either((json) => json.contains(substr, ignoresCase));

  private either(of: (json: Json) => Sql): Sql {
    const either = sql`if(${this.isFollowed}, ${of(this.behind)}, ${of(this.otherwise)})`;
    for (const { by, rows } of this.doubts?.inner.splice(0) ?? []) {
      this.doubts?.outer.push({ by, rows: sql`NOT ${this.isFollowed} AND (${rows})` });
    }
    return either;
  }
}
