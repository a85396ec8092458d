import type { Found, JsonRow, RowsRequest } from './json-document.js';

/** What the page and the worker of a payload say to each other. */
export interface PayloadRequest {
  readonly project_id: string;
  readonly id: string;
  readonly member: string;
}

export interface PayloadCalls {
  readonly open: { readonly args: [PayloadRequest]; readonly result: number };
  readonly rows: { readonly args: [RowsRequest]; readonly result: readonly JsonRow[] };
  readonly value: { readonly args: [readonly string[], number]; readonly result: string };
  readonly search: { readonly args: [string, number]; readonly result: Found };
  readonly blob: { readonly args: []; readonly result: Blob };
}

export type PayloadCall = {
  [Name in keyof PayloadCalls]: {
    readonly call: number;
    readonly name: Name;
    readonly args: PayloadCalls[Name]['args'];
  };
}[keyof PayloadCalls];

export type PayloadReply =
  | { readonly call: number; readonly result: unknown }
  | { readonly call: number; readonly error: string }
  | { readonly bytes: number; readonly total: number };
