/** What ClickHouse read to execute a query. */
export interface QueryStats {
  readonly rowsRead: number;
  readonly bytesRead: number;
}

/** A line of JSONEachRowWithProgress. Other lines, such as the column list, are ignored. */
export type ProgressLine<Row> =
  | { readonly row: Row }
  | { readonly progress: Readonly<Record<string, string | number>> }
  | { readonly exception: string }
  | { readonly meta: unknown };

export function statsOf({
  read_rows = 0,
  read_bytes = 0,
}: Readonly<Record<string, string | number>>) {
  return { rowsRead: Number(read_rows), bytesRead: Number(read_bytes) };
}
