import { queryOptions } from '@tanstack/react-query';
import { post, send } from '../api/client.js';
import { nodeOfPath, stringOf } from '../call/json-index.js';

/** A version without its value. */
export interface ObjectVersionRow {
  readonly object_id: string;
  readonly digest: string;
  readonly version_index: number;
  readonly created_at: string;
  readonly kind: 'object' | 'op';
  readonly base_object_class: string | null;
  readonly leaf_object_class: string | null;
  readonly wb_user_id: string | null;
  readonly tags: readonly string[] | null;
  readonly aliases: readonly string[] | null;
}

export interface ObjectKind {
  readonly name: string;
  readonly label: string;
  readonly filter: object;
}

const ofClass = (...base_object_classes: string[]) => ({ is_op: false, base_object_classes });

/** The kinds of the list, in its tabs. */
export const KINDS: readonly ObjectKind[] = [
  { name: 'all', label: 'All objects', filter: { is_op: false } },
  { name: 'ops', label: 'Ops', filter: { is_op: true } },
  { name: 'prompts', label: 'Prompts', filter: ofClass('Prompt') },
  { name: 'models', label: 'Models', filter: ofClass('Model') },
  { name: 'datasets', label: 'Datasets', filter: ofClass('Dataset') },
  { name: 'evaluations', label: 'Evaluations', filter: ofClass('Evaluation') },
  { name: 'scorers', label: 'Scorers', filter: ofClass('Scorer') },
];

/** Names on the list. */
export const NAMES_MAX = 1_000;
/** Versions of one name. */
export const VERSIONS_MAX = 200;

const rowsOf = async (body: object, signal: AbortSignal) =>
  (await post<{ objs: readonly ObjectVersionRow[] }>('/objs/query', body, signal)).objs;

/** The latest version of each name, the newest first. */
export const objectsQuery = (projectId: string, kind: ObjectKind) =>
  queryOptions({
    queryKey: ['objects', projectId, kind.name],
    queryFn: ({ signal }) =>
      rowsOf(
        {
          project_id: projectId,
          filter: { ...kind.filter, latest_only: true },
          sort_by: [{ field: 'created_at', direction: 'desc' }],
          limit: NAMES_MAX,
          metadata_only: true,
          include_tags_and_aliases: true,
        },
        signal,
      ),
  });

export const versionsKey = (projectId: string, name: string) =>
  ['versions', projectId, name] as const;

/** The versions of a name, the newest first. */
export const versionsQuery = (projectId: string, name: string, isOp: boolean) =>
  queryOptions({
    queryKey: [...versionsKey(projectId, name), isOp],
    queryFn: ({ signal }) =>
      rowsOf(
        {
          project_id: projectId,
          filter: { object_ids: [name], is_op: isOp },
          sort_by: [{ field: 'created_at', direction: 'desc' }],
          limit: VERSIONS_MAX,
          metadata_only: true,
          include_tags_and_aliases: true,
        },
        signal,
      ),
  });

export interface ObjectText {
  readonly kind: string;
  readonly baseClass: string;
  readonly createdAt: string;
  readonly version: string;
  readonly digest: string;
  /** The exact text that was sent. */
  readonly value: string;
}

/** One version with its value. `digest` may be an alias, such as `latest`. */
export const objectQuery = (projectId: string, name: string, digest: string) =>
  queryOptions({
    queryKey: ['object', projectId, name, digest],
    queryFn: ({ signal }) => readObject({ project_id: projectId, object_id: name, digest }, signal),
  });

async function readObject(request: object, signal: AbortSignal): Promise<ObjectText> {
  const response = await send('/obj/read', { body: request, signal });
  const text = await response.text();
  const span = (key: string) => nodeOfPath(text, ['obj', key]);
  const words = (key: string) => {
    const node = span(key);
    if (node === undefined) return '';
    return node.kind === 'string' ? stringOf(text, node) : text.slice(node.start, node.end);
  };
  const value = span('val');
  return {
    kind: words('kind'),
    baseClass: words('base_object_class'),
    createdAt: words('created_at'),
    version: words('version_index'),
    digest: words('digest'),
    value: value === undefined ? 'null' : text.slice(value.start, value.end),
  };
}

interface Version {
  readonly projectId: string;
  readonly name: string;
  readonly digest: string;
}

const pathOf = (name: string) => `/objs/${encodeURIComponent(name)}`;

export async function changeTag(
  { projectId, name, digest }: Version,
  tag: string,
  isSet: boolean,
): Promise<void> {
  const path = `${pathOf(name)}/versions/${encodeURIComponent(digest)}/tags${isSet ? '' : '/remove'}`;
  const body = { project_id: projectId, tags: [tag] };
  await send(path, { method: isSet ? 'PUT' : 'POST', body });
}

export async function changeAlias(
  { projectId, name, digest }: Version,
  alias: string,
  isSet: boolean,
): Promise<void> {
  const body = { project_id: projectId, aliases: [alias], ...(isSet && { digest }) };
  const path = `${pathOf(name)}/aliases${isSet ? '' : '/remove'}`;
  await send(path, { method: isSet ? 'PUT' : 'POST', body });
}
