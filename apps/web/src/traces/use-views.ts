import { useEffect } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { post } from '../api/client.js';
import { savedView, searchOf, viewName, type SavedView } from './saved-view.js';
import type { SearchChange, TracesSearch } from './traces-search.js';

export interface NamedView {
  /** Of the object. */
  readonly name: string;
  readonly view: SavedView;
}

const VIEWS_MAX = 500;
const viewsKey = (projectId: string) => ['views', projectId] as const;

export function useViews(projectId: string, isNeeded: boolean) {
  return useQuery({
    queryKey: viewsKey(projectId),
    enabled: isNeeded,
    queryFn: async ({ signal }): Promise<readonly NamedView[]> => {
      const { objs } = await post<{ objs: readonly { object_id: string; val: SavedView }[] }>(
        '/objs/query',
        {
          project_id: projectId,
          filter: { base_object_classes: ['SavedView'], latest_only: true, is_op: false },
          limit: VIEWS_MAX,
        },
        signal,
      );
      return objs
        .filter(({ val }) => typeof val?.label === 'string')
        .map(({ object_id, val }) => ({ name: object_id, view: val }))
        .sort((a, b) => a.view.label.localeCompare(b.view.label));
    },
  });
}

type Change =
  | { readonly kind: 'save'; readonly name: string; readonly view: SavedView }
  | { readonly kind: 'delete'; readonly name: string };

/** Saves, renames and deletes views. A rename is a new version of the object, as every change is. */
export function useChangeViews(projectId: string, views: readonly NamedView[]) {
  const queries = useQueryClient();
  const { mutateAsync, error, isPending } = useMutation({
    mutationFn: (change: Change) =>
      change.kind === 'delete'
        ? post('/obj/delete', { project_id: projectId, object_id: change.name })
        : post('/obj/create', {
            obj: {
              project_id: projectId,
              object_id: change.name,
              val: { name: change.name, description: null, ...change.view },
              builtin_object_class: 'SavedView',
            },
          }),
    onSettled: () => queries.invalidateQueries({ queryKey: viewsKey(projectId) }),
  });
  const save = async (name: string, view: SavedView): Promise<string> => {
    await mutateAsync({ kind: 'save', name, view });
    return name;
  };
  const taken = views.map(({ name }) => name);
  return {
    error,
    isPending,
    create: (label: string, search: TracesSearch) =>
      save(viewName(label, taken), savedView(label, projectId, search)),
    update: ({ name, view }: NamedView, search: TracesSearch) =>
      save(name, savedView(view.label, projectId, search)),
    rename: ({ name, view }: NamedView, label: string) => save(name, { ...view, label }),
    remove: ({ name }: NamedView) => mutateAsync({ kind: 'delete', name }),
  };
}

/** The address of a view alone, as the SDKs print it, gets the state that the view describes. */
export function useViewOfAddress(
  projectId: string,
  search: TracesSearch,
  onSearch: (change: SearchChange) => void,
): { readonly missing: string | undefined; readonly isLoading: boolean } {
  const { view: name, live: _, ...state } = search;
  const isAlone = name !== undefined && Object.keys(state).length === 0;
  const { data } = useViews(projectId, isAlone);
  const found = data?.find((one) => one.name === name);
  const applied = found === undefined ? undefined : searchOf(found.view);
  const hasState = applied !== undefined && Object.keys(applied).length > 0;
  useEffect(() => {
    if (isAlone && hasState) onSearch(applied);
    // The object is another one at every render; the name says which view it is.
  }, [isAlone, hasState, name]);
  return {
    missing: isAlone && data !== undefined && found === undefined ? name : undefined,
    isLoading: isAlone && (data === undefined || hasState),
  };
}
