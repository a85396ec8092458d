import { JsonDocument, type Found, type JsonRow, type RowsRequest } from './json-document.js';

/** Where a view gets the rows of a JSON text from: a document of its own, or one in a worker. */
export interface JsonSource {
  rows(request: RowsRequest): Promise<readonly JsonRow[]>;
  value(keys: readonly string[], max: number): Promise<string>;
  search(query: string, nth: number): Promise<Found>;
  /** All of the text. */
  blob(): Promise<Blob>;
}

/** For texts so small that scanning them takes no noticeable time. */
export function localSource(text: string): JsonSource {
  const document = new JsonDocument(text);
  return {
    rows: (request) => Promise.resolve(document.rows(request)),
    value: (keys, max) => Promise.resolve(document.value(keys, max)),
    search: (query, nth) => Promise.resolve(document.search(query, nth)),
    blob: () => Promise.resolve(new Blob([text], { type: 'application/json' })),
  };
}
