import { bind, sql, type Sql } from '@app/clickhouse';
import {
  ALWAYS_UNDECIDED,
  JsonText,
  MissingJson,
  parsePath,
  type Undecided,
  type FieldMap,
  type Json,
  type Place,
  type Value,
} from '@app/query-language';
import { waysTo, type Way } from './expand-columns.js';
import type { Path } from './json-place.js';

/** Fields of calls: exactly, or as far as the leaves know them, with doubts about the rest. */
export interface PrefilterFields extends FieldMap {
  prefilter(doubts: Undecided[]): PrefilterFields;
}

/** A way to a field, and what the refs at its column lead to behind it. */
export type FollowedWay = Way & { readonly followed: Followed };

/** Takes note of the fields that lie behind expanded columns; what they hold is not known yet. */
export class RequestedFields implements PrefilterFields {
  constructor(
    private readonly plain: PrefilterFields,
    private readonly columns: readonly Path[],
    readonly asked = new Map<string, Way[]>(),
    private readonly doubts?: Undecided[],
  ) {}

  prefilter(doubts: Undecided[]): RequestedFields {
    return new RequestedFields(this.plain.prefilter(doubts), this.columns, this.asked, doubts);
  }

  field(path: string, at: Place): Value {
    const value = this.plain.field(path, at);
    const ways = value.kind === 'json' ? waysTo(parsePath(path, at), this.columns) : [];
    if (ways.length === 0) return value;
    this.asked.set(path, ways);
    this.doubts?.push(ALWAYS_UNDECIDED);
    return new MissingJson();
  }
}

/** Fields that are reached through refs, where there are any. */
export class ExpandedFields implements PrefilterFields {
  constructor(
    private readonly plain: PrefilterFields,
    private readonly known: ReadonlyMap<string, readonly FollowedWay[]>,
    private readonly doubts?: Undecided[],
  ) {}

  prefilter(doubts: Undecided[]): ExpandedFields {
    return new ExpandedFields(this.plain, this.known, doubts);
  }

  field(path: string, at: Place): Value {
    return this.through(path, this.known.get(path) ?? [], at, this.doubts);
  }

  /** The shallowest ref that a call has on the way is the one that is followed. */
  private through(
    path: string,
    ways: readonly FollowedWay[],
    at: Place,
    doubts?: Undecided[],
  ): Value {
    const [way, ...deeper] = ways;
    if (way === undefined) return this.fields(doubts).field(path, at);
    const inner: Undecided[] = [];
    const ref = this.fields(doubts).field(columnOf(way.base), at);
    const otherwise = this.through(path, deeper, at, doubts && inner);
    if (ref.kind !== 'json' || otherwise.kind !== 'json') return otherwise;
    return new FollowedJson(ref, way.followed, otherwise, doubts && { inner, outer: doubts });
  }

  private fields(doubts: Undecided[] | undefined): PrefilterFields {
    return doubts ? this.plain.prefilter(doubts) : this.plain;
  }
}

/** A path as it is written in a request. */
export const columnOf = (path: Path): string =>
  path.map((key) => key.replace(/[.\\]/g, '\\$&')).join('.');

/** What refs lead to: refs, and at the same places JSON texts, '' for nothing. */
export interface Followed {
  readonly refs: readonly string[];
  readonly texts: readonly string[];
}

/** A path that leads through a ref where there is one, and is an ordinary path of the call elsewhere. */
class FollowedJson implements Json {
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
