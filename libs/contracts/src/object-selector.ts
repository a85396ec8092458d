/** The fields of a version that `chooseVersion` needs. */
export interface SelectableVersion {
  readonly kind: string;
  readonly digest: string;
  readonly versionIndex: number;
  /** Sequence number; greater when published later. */
  readonly published: number;
  readonly isLatest: boolean;
}

const CONTENT_DIGEST = /^(?:[A-Za-z0-9]{43}|[0-9a-f]{64})$/;

/** Whether a selector names an alias, so that `chooseVersion` needs the aliases. */
export function isAlias(selector: string): boolean {
  return selector !== 'latest' && !/^v\d+$/.test(selector) && !CONTENT_DIGEST.test(selector);
}

/**
 * The version that a digest, `v<N>`, an alias or `latest` selects. When an op and an object share a name, `v<N>` selects
 * the object and `latest` the version published last.
 */
export function chooseVersion<V extends SelectableVersion>(
  versions: readonly V[],
  selector: string,
  aliases: ReadonlyMap<string, string>,
): V | undefined {
  const index = /^v(\d+)$/.exec(selector)?.[1];
  if (index !== undefined) return preferObject(versions, (v) => v.versionIndex === Number(index));
  if (CONTENT_DIGEST.test(selector)) return preferObject(versions, (v) => v.digest === selector);
  const aliased = aliases.get(selector);
  if (aliased !== undefined) return preferObject(versions, (v) => v.digest === aliased);
  return selector === 'latest' ? latestOf(versions) : undefined;
}

function preferObject<V extends SelectableVersion>(
  versions: readonly V[],
  matches: (version: V) => boolean,
): V | undefined {
  const found = versions.filter(matches);
  return found.find(({ kind }) => kind === 'object') ?? found[0];
}

/** When all versions are deleted, returns the one published last, so that a response can state when it was deleted. */
function latestOf<V extends SelectableVersion>(versions: readonly V[]): V | undefined {
  const live = versions.filter(({ isLatest }) => isLatest);
  return [...(live.length > 0 ? live : versions)].sort((a, b) => b.published - a.published)[0];
}
