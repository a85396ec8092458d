/** What is needed of a version to choose among those of one name. */
export interface Choosable {
  readonly kind: string;
  readonly digest: string;
  readonly versionIndex: number;
  /** Greater for a later publishing. */
  readonly published: number;
  readonly isLatest: boolean;
}

const CONTENT_DIGEST = /^(?:[A-Za-z0-9]{43}|[0-9a-f]{64})$/;

/** It means a version by an alias, so aliases have to be known. */
export function isAlias(selector: string): boolean {
  return selector !== 'latest' && !/^v\d+$/.test(selector) && !CONTENT_DIGEST.test(selector);
}

/**
 * The version that a digest, `v<N>`, an alias or `latest` means. An op and an object may share a name: `v<N>` prefers the
 * object, `latest` is whichever was published last.
 */
export function chooseVersion<V extends Choosable>(
  versions: readonly V[],
  selector: string,
  aliases: ReadonlyMap<string, string>,
): V | undefined {
  const index = /^v(\d+)$/.exec(selector)?.[1];
  if (index !== undefined) return preferObject(versions, (v) => v.versionIndex === Number(index));
  if (CONTENT_DIGEST.test(selector)) return preferObject(versions, (v) => v.digest === selector);
  const pointedAt = aliases.get(selector);
  if (pointedAt !== undefined) return preferObject(versions, (v) => v.digest === pointedAt);
  return selector === 'latest' ? latestOf(versions) : undefined;
}

function preferObject<V extends Choosable>(
  versions: readonly V[],
  is: (version: V) => boolean,
): V | undefined {
  const found = versions.filter(is);
  return found.find(({ kind }) => kind === 'object') ?? found[0];
}

/** Where nothing is left alive, the version published last, so that a reader can be told when it was deleted. */
function latestOf<V extends Choosable>(versions: readonly V[]): V | undefined {
  const live = versions.filter(({ isLatest }) => isLatest);
  return [...(live.length > 0 ? live : versions)].sort((a, b) => b.published - a.published)[0];
}
