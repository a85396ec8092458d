const REF = /^weave:\/\/\/([^/\s]+)\/([^/\s]+)\/(object|op|call)\/([^/\s:]+)(?::([^/\s]+))?/;

/** The address of what a ref points to; undefined for any other text. */
export function refHref(text: string): string | undefined {
  const [, entity, project, kind, name, digest] = REF.exec(text) ?? [];
  if (entity === undefined || name === undefined) return undefined;
  const base = `/${entity}/${project}`;
  if (kind === 'call') return `${base}/r/call/${encodeURIComponent(name)}`;
  if (digest === undefined || digest === '*') return undefined;
  const folder = kind === 'op' ? 'ops' : 'objects';
  return `${base}/weave/${folder}/${encodeURIComponent(name)}/versions/${encodeURIComponent(digest)}`;
}

export interface OpRef {
  readonly entity: string;
  readonly project: string;
  readonly name: string;
  readonly digest: string;
}

/** The op of a ref with a version; undefined for any other text. */
export function opRefOf(text: string): OpRef | undefined {
  const [, entity, project, kind, name, digest] = REF.exec(text) ?? [];
  if (kind !== 'op' || name === undefined || digest === undefined || digest === '*') {
    return undefined;
  }
  return { entity: entity!, project: project!, name, digest };
}
