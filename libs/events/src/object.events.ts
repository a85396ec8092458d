import type { RecordFact } from './record-fact.js';

export type ObjectKind = 'object' | 'op';

interface PublishedVersion {
  readonly objectId: string;
  readonly kind: ObjectKind;
  readonly digest: string;
  /** Empty for a value without a class. */
  readonly baseClass: string;
  readonly leafClass: string;
}

/** A value was published under a name. The body is its JSON text. */
export type ObjectPublished = RecordFact<'ObjectPublished', PublishedVersion>;

/** One version was deleted; its tags and aliases go with it. */
export type ObjectDeleted = RecordFact<
  'ObjectDeleted',
  { readonly objectId: string; readonly kind: ObjectKind; readonly digest: string }
>;

/** A tag was added to a version or removed. */
export type TagChanged = RecordFact<
  'TagChanged',
  {
    readonly objectId: string;
    readonly digest: string;
    readonly tag: string;
    readonly isSet: boolean;
  }
>;

/** An alias was set to a version; an empty digest removes it. */
export type AliasChanged = RecordFact<
  'AliasChanged',
  { readonly objectId: string; readonly alias: string; readonly digest: string }
>;

export type ObjectFact = ObjectPublished | ObjectDeleted | TagChanged | AliasChanged;
