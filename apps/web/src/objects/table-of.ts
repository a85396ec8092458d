import { nodeOfPath, stringOf } from '../call/json-index.js';

/** A text member of a JSON object. */
export function textAt(value: string, key: string): string | undefined {
  const node = nodeOfPath(value, [key]);
  return node?.kind === 'string' ? stringOf(value, node) : undefined;
}

const TABLE_REF = /^weave:\/\/\/([^/]+\/[^/]+)\/table\/([^/]+)$/;

/** The table that an object has as its rows, as datasets do. */
export function tableOf(value: string): { projectId: string; digest: string } | undefined {
  const [, projectId, digest] = TABLE_REF.exec(textAt(value, 'rows') ?? '') ?? [];
  return projectId === undefined ? undefined : { projectId, digest: digest! };
}
