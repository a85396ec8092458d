import { chooseVersion, type ObjectDeleteResponse } from '@app/contracts';
import type { AliasChanged, ObjectDeleted, TagChanged } from '@app/events';
import { ProblemError } from '@app/http';
import type { IngestContext } from './object-facts.js';
import type { Version, Versions } from './versions.reader.js';

const NOTHING = Buffer.alloc(0);

/** The living versions that a delete means; a Problem when there are none, or fewer than were named. */
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
  receipt: IngestContext,
): ObjectDeleted[] {
  return versions.map(({ kind, digest }) => ({
    type: 'ObjectDeleted',
    ...receipt,
    data: { objectId, kind, digest },
    body: NOTHING,
  }));
}

export function tagFacts(
  objectId: string,
  digest: string,
  tags: readonly string[],
  isSet: boolean,
  receipt: IngestContext,
): TagChanged[] {
  return [...new Set(tags)].map((tag) => ({
    type: 'TagChanged',
    ...receipt,
    data: { objectId, digest, tag, isSet },
    body: NOTHING,
  }));
}

/** An empty digest removes the alias. */
export function aliasFacts(
  objectId: string,
  digest: string,
  aliases: readonly string[],
  receipt: IngestContext,
): AliasChanged[] {
  return [...new Set(aliases)].map((alias) => ({
    type: 'AliasChanged',
    ...receipt,
    data: { objectId, alias, digest },
    body: NOTHING,
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
