import { queryOptions } from '@tanstack/react-query';
import { post, send } from '../api/client.js';
import { opRefOf } from '../call/ref-link.js';
import type { Language } from './highlight.js';

interface StoredOp {
  readonly obj: { readonly val: { readonly files?: Readonly<Record<string, string>> } | null };
}

export interface OpCode {
  readonly text: string;
  readonly language: Language;
}

const CODE_FILE = /\.(py|ts|js)$/;

/** The code of an op, as the SDK has stored it when the op was called first; null when it has stored none. */
export const opCodeQuery = (opRef: string) =>
  queryOptions({
    queryKey: ['code', opRef],
    staleTime: Infinity,
    enabled: opRefOf(opRef) !== undefined,
    queryFn: async ({ signal }): Promise<OpCode | null> => {
      const { entity, project, name, digest } = opRefOf(opRef)!;
      const project_id = `${entity}/${project}`;
      const body = { project_id, object_id: name, digest };
      const { obj } = await post<StoredOp>('/obj/read', body, signal);
      const found = Object.entries(obj.val?.files ?? {}).find(([file]) => CODE_FILE.test(file));
      if (found === undefined) return null;
      const request = { body: { project_id, digest: found[1] }, signal };
      const response = await send('/file/content', request);
      return {
        text: await response.text(),
        language: found[0].endsWith('.py') ? 'python' : 'script',
      };
    },
  });
