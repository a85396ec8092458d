import { bind, sql, type Sql } from '@app/clickhouse';
import {
  ALWAYS_UNDECIDED,
  JsonText,
  MissingJson,
  parsePath,
  type FieldMap,
  type Json,
  type Place,
  type Undecided,
  type Value,
} from '@app/query-language';
import { refPathsTo, type RefPath } from './expand-columns.js';
import type { Path } from './json-path.js';

/** Fields of calls, either exact or as a prefilter that reads only leaves and collects the rows they do not decide. */
export interface PrefilterFields extends FieldMap {
  prefilter(undecided: Undecided[]): PrefilterFields;
}

/** Refs and, at the same index, the JSON text at a path of the value that each points to; '' where there is none. */
export interface RefTargets {
  readonly refs: readonly string[];
  readonly texts: readonly string[];
}

export type ResolvedRefPath = RefPath & { readonly targets: RefTargets };

/** Collects the fields that lie behind expanded columns. Their values are not read yet, so they are always undecided. */
export class RequestedFields implements PrefilterFields {
  constructor(
    private readonly plain: PrefilterFields,
    private readonly columns: readonly Path[],
    readonly refPaths = new Map<string, RefPath[]>(),
    private readonly undecided?: Undecided[],
  ) {}

  prefilter(undecided: Undecided[]): RequestedFields {
    const plain = this.plain.prefilter(undecided);
    return new RequestedFields(plain, this.columns, this.refPaths, undecided);
  }

  field(path: string, at: Place): Value {
    const value = this.plain.field(path, at);
    const refPaths = value.kind === 'json' ? refPathsTo(parsePath(path, at), this.columns) : [];
    if (refPaths.length === 0) return value;
    this.refPaths.set(path, refPaths);
    this.undecided?.push(ALWAYS_UNDECIDED);
    return new MissingJson();
  }
}

/** Fields that lead through refs, where a call contains refs on the path. */
export class ExpandedFields implements PrefilterFields {
  constructor(
    private readonly plain: PrefilterFields,
    private readonly resolved: ReadonlyMap<string, readonly ResolvedRefPath[]>,
    private readonly undecided?: Undecided[],
  ) {}

  prefilter(undecided: Undecided[]): ExpandedFields {
    return new ExpandedFields(this.plain, this.resolved, undecided);
  }

  field(path: string, at: Place): Value {
    return this.through(path, this.resolved.get(path) ?? [], at, this.undecided);
  }

  /** The shallowest ref on the path wins. */
  private through(
    path: string,
    refPaths: readonly ResolvedRefPath[],
    at: Place,
    undecided?: Undecided[],
  ): Value {
    const [first, ...deeper] = refPaths;
    if (first === undefined) return this.fields(undecided).field(path, at);
    const inner: Undecided[] = [];
    const ref = this.fields(undecided).field(columnOf(first.column), at);
    const direct = this.through(path, deeper, at, undecided && inner);
    if (ref.kind !== 'json' || direct.kind !== 'json') return direct;
    return new JsonThroughRef(ref, first.targets, direct, undecided && { inner, outer: undecided });
  }

  private fields(undecided: Undecided[] | undefined): PrefilterFields {
    return undecided ? this.plain.prefilter(undecided) : this.plain;
  }
}

/** The value behind a ref in calls that contain one, and the call's own value at the path in all others. */
class JsonThroughRef implements Json {
  readonly kind = 'json';
  private readonly isRef: Sql;
  private readonly target: Json;

  /** `undecided.inner` are the rows that `direct` does not decide; they matter only in calls without a ref. */
  constructor(
    ref: Json,
    { refs, texts }: RefTargets,
    private readonly direct: Json,
    private readonly undecided?: { readonly inner: Undecided[]; readonly outer: Undecided[] },
  ) {
    const text = ref.text();
    const known = bind('Array(String)', refs);
    this.isRef = sql`(${text} IN ${known})`;
    this.target = new JsonText(
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
    const either = sql`if(${this.isRef}, ${of(this.target)}, ${of(this.direct)})`;
    for (const { by, rows } of this.undecided?.inner.splice(0) ?? []) {
      this.undecided?.outer.push({ by, rows: sql`NOT ${this.isRef} AND (${rows})` });
    }
    return either;
  }
}

/** A path as a request writes it. */
export const columnOf = (path: Path): string =>
  path.map((key) => key.replace(/[.\\]/g, '\\$&')).join('.');
