import { chooseVersion, type ObjectDeleteResponse } from '@app/contracts';
import type { AliasChanged, ObjectDeleted, TagChanged } from '@app/events';
import { ProblemError } from '@app/http';
import { NO_BODY, type RecordContext } from '../record-facts.js';
import type { Version, Versions } from './versions.reader.js';

/** The live versions that a delete selects. Throws when a selector or the whole name has none. */
export function versionsToDelete(
  objectId: string,
  known: Versions,
  selectors: readonly string[] | null | undefined,
): Version[] {
  if (!selectors) {
    const live = known.versions.filter(({ isLive }) => isLive);
    if (live.length === 0) throw notFound(objectId);
    return live;
  }
  const found = new Set(selectors.map((selector) => liveVersion(objectId, known, selector)));
  if (found.size === 0) throw notFound(objectId);
  return [...found];
}

export function liveVersion(objectId: string, known: Versions, selector: string): Version {
  const version = chooseVersion(known.versions, selector, known.aliases);
  if (!version?.isLive) throw notFound(`${objectId}:${selector}`);
  return version;
}

export function deletedFacts(
  objectId: string,
  versions: readonly Version[],
  context: RecordContext,
): ObjectDeleted[] {
  return versions.map(({ kind, digest }) => ({
    type: 'ObjectDeleted',
    ...context,
    data: { objectId, kind, digest },
    body: NO_BODY,
  }));
}

export function tagFacts(
  objectId: string,
  digest: string,
  tags: readonly string[],
  isSet: boolean,
  context: RecordContext,
): TagChanged[] {
  return [...new Set(tags)].map((tag) => ({
    type: 'TagChanged',
    ...context,
    data: { objectId, digest, tag, isSet },
    body: NO_BODY,
  }));
}

/** An empty digest removes the alias. */
export function aliasFacts(
  objectId: string,
  digest: string,
  aliases: readonly string[],
  context: RecordContext,
): AliasChanged[] {
  return [...new Set(aliases)].map((alias) => ({
    type: 'AliasChanged',
    ...context,
    data: { objectId, alias, digest },
    body: NO_BODY,
  }));
}

export function deleteResponse(versions: readonly Version[]): ObjectDeleteResponse {
  return {
    num_deleted: versions.length,
    deleted_versions: versions.map(({ digest, baseClass, leafClass }) => ({
      digest,
      base_object_class: baseClass || null,
      leaf_object_class: leafClass || null,
    })),
  };
}

const notFound = (what: string) =>
  new ProblemError('object_not_found', `There is no live version ${what.slice(0, 200)}.`);
