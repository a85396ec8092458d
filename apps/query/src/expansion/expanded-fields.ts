import {
  NO_IDEA,
  NoJson,
  parsePath,
  type Doubt,
  type FieldMap,
  type Place,
  type Value,
} from '@app/query-language';
import { waysTo, type Way } from './expand-columns.js';
import { FollowedJson, type Followed } from './followed-json.js';
import type { Path } from './json-place.js';

/** Fields of calls: exactly, or as far as the leaves know them, with doubts about the rest. */
export interface GuessableFields extends FieldMap {
  guessing(doubts: Doubt[]): GuessableFields;
}

/** A way to a field, and what the refs at its column lead to behind it. */
export type FollowedWay = Way & { readonly followed: Followed };

/** Takes note of the fields that lie behind expanded columns; what they hold is not known yet. */
export class AskedFields implements GuessableFields {
  constructor(
    private readonly plain: GuessableFields,
    private readonly columns: readonly Path[],
    readonly asked = new Map<string, Way[]>(),
    private readonly doubts?: Doubt[],
  ) {}

  guessing(doubts: Doubt[]): AskedFields {
    return new AskedFields(this.plain.guessing(doubts), this.columns, this.asked, doubts);
  }

  field(path: string, at: Place): Value {
    const value = this.plain.field(path, at);
    const ways = value.kind === 'json' ? waysTo(parsePath(path, at), this.columns) : [];
    if (ways.length === 0) return value;
    this.asked.set(path, ways);
    this.doubts?.push(NO_IDEA);
    return new NoJson();
  }
}

/** Fields that are reached through refs, where there are any. */
export class ExpandedFields implements GuessableFields {
  constructor(
    private readonly plain: GuessableFields,
    private readonly known: ReadonlyMap<string, readonly FollowedWay[]>,
    private readonly doubts?: Doubt[],
  ) {}

  guessing(doubts: Doubt[]): ExpandedFields {
    return new ExpandedFields(this.plain, this.known, doubts);
  }

  field(path: string, at: Place): Value {
    return this.through(path, this.known.get(path) ?? [], at, this.doubts);
  }

  /** The shallowest ref that a call has on the way is the one that is followed. */
  private through(path: string, ways: readonly FollowedWay[], at: Place, doubts?: Doubt[]): Value {
    const [way, ...deeper] = ways;
    if (way === undefined) return this.fields(doubts).field(path, at);
    const inner: Doubt[] = [];
    const ref = this.fields(doubts).field(columnOf(way.base), at);
    const otherwise = this.through(path, deeper, at, doubts && inner);
    if (ref.kind !== 'json' || otherwise.kind !== 'json') return otherwise;
    return new FollowedJson(ref, way.followed, otherwise, doubts && { inner, outer: doubts });
  }

  private fields(doubts: Doubt[] | undefined): GuessableFields {
    return doubts ? this.plain.guessing(doubts) : this.plain;
  }
}

/** A path as it is written in a request. */
export const columnOf = (path: Path): string =>
  path.map((key) => key.replace(/[.\\]/g, '\\$&')).join('.');
