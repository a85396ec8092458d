/** Formats that ClickHouse prints itself; this process only forwards the bytes. */
export const FILE_FORMATS = {
  csv: { name: 'CSVWithNames', type: 'text/csv; charset=utf-8' },
  parquet: { name: 'Parquet', type: 'application/vnd.apache.parquet' },
} as const;

export type FileFormat = keyof typeof FILE_FORMATS;

const MEDIA_TYPES: Readonly<Record<string, FileFormat>> = {
  'text/csv': 'csv',
  'application/vnd.apache.parquet': 'parquet',
  'application/x-parquet': 'parquet',
};

/** The file that an Accept header prefers over JSON; undefined when it prefers JSON, or anything. */
export function acceptedFile(accept: string | undefined): FileFormat | undefined {
  const [best] = (accept ?? '')
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .map(([type = '', ...parameters]) => ({ type, weight: weightOf(parameters) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  return best && Object.hasOwn(MEDIA_TYPES, best.type) ? MEDIA_TYPES[best.type] : undefined;
}

function weightOf(parameters: readonly string[]): number {
  const q = parameters.find((one) => one.startsWith('q='));
  const weight = q === undefined ? 1 : Number(q.slice(2));
  return Number.isNaN(weight) ? 0 : weight;
}

/** An empty field is what readers of CSV take for "no value". Row groups are small, so that a file is sent while it is made. */
export const FILE_SETTINGS = {
  format_csv_null_representation: '',
  date_time_output_format: 'iso',
  output_format_parquet_row_group_size: '20000',
  output_format_parquet_row_group_size_bytes: String(32 * 1024 * 1024),
} as const;
