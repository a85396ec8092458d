export type Role = 'ingest' | 'read' | 'write' | 'admin';

export interface Session {
  readonly user: string;
  readonly role: Role;
  readonly scope: string;
  readonly expires_at: string;
}

export interface ProjectSummary {
  readonly project_id: string;
  readonly calls: number;
  readonly errors: number;
  readonly last_call_at: string | null;
  readonly cost: number | null;
}

export type Status = 'running' | 'success' | 'error' | 'descendant_error';

interface Preview {
  readonly text: string;
  readonly bytes: number;
}

/** A call as the list shows it: payloads are cut by the server. */
export interface CallPreview {
  readonly id: string;
  readonly trace_id: string;
  readonly parent_id: string | null;
  readonly op_name: string;
  readonly display_name: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly status: Status;
  readonly latency_ms: number | null;
  readonly wb_user_id: string | null;
  readonly thread_id: string | null;
  readonly exception: string | null;
  readonly inputs: Preview;
  readonly output: Preview;
  readonly tokens: number;
  readonly cost: number | null;
  readonly feedback: number;
  /** Of the columns that are paths, in the order of the request. */
  readonly values: readonly (string | null)[];
  readonly hits: readonly Hit[];
}

/** Where a text that was searched is in a payload. */
export interface Hit {
  readonly member: 'inputs' | 'output';
  /** In characters. */
  readonly offset: number;
  readonly length: number;
  readonly snippet: string;
}

/** What the server did for a response. */
export interface Explanation {
  readonly sql: string;
  readonly rows_read: number;
  readonly bytes_read: number;
  readonly elapsed_ms: number;
  readonly indexes: readonly string[];
}

export interface Histogram {
  readonly start: string;
  readonly end: string;
  readonly bucket_seconds: number;
  readonly calls: readonly number[];
  readonly errors: readonly number[];
  readonly total: number;
  readonly total_errors: number;
}

export interface Facet {
  readonly field: string;
  readonly values: readonly { readonly value: string; readonly count: number }[];
  readonly distinct: number;
  readonly missing: number;
}

export interface Facets {
  readonly calls: number;
  readonly sampled: boolean;
  readonly facets: readonly Facet[];
}

export interface TreeHeader {
  readonly trace_id: string;
  readonly count: number;
  readonly has_more: boolean;
  readonly started_at: string;
  readonly ops: readonly string[];
  readonly names: readonly string[];
  readonly statuses: readonly Status[];
}

/** Columns of equal length, in depth-first order. Times are microseconds. */
export interface TreeBlock {
  readonly id: readonly string[];
  readonly parent: readonly number[];
  readonly op: readonly number[];
  readonly name: readonly number[];
  readonly status: readonly number[];
  readonly start: readonly number[];
  readonly duration: readonly number[];
  readonly tokens: readonly number[];
  readonly cost: readonly (number | null)[];
  readonly feedback: readonly number[];
}

export interface Feedback {
  readonly id: string;
  readonly feedback_type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly wb_user_id: string;
  readonly annotation_ref?: string | null;
}
