export interface Column {
  readonly id: string;
  readonly label: string;
  /** Pixels. */
  readonly width: number;
  readonly isNumber?: boolean;
  /** The field of a call. Feedback is not part of a call and has none. */
  readonly field?: string;
  /** The column of an exported file, where it is not the field. */
  readonly exported?: string;
  readonly isSorted?: boolean;
  /** A path into a payload: the server reads its value. */
  readonly isPath?: boolean;
}

const NAME_COLUMN: Column = {
  id: 'name',
  label: 'Op',
  width: 210,
  field: 'summary.weave.trace_name',
  isSorted: true,
};

export const COLUMNS: readonly Column[] = [
  {
    id: 'status',
    label: 'Status',
    width: 116,
    field: 'summary.weave.status',
    isSorted: true,
  },
  {
    id: 'latency',
    label: 'Latency',
    width: 92,
    isNumber: true,
    field: 'summary.weave.latency_ms',
    isSorted: true,
  },
  {
    id: 'tokens',
    label: 'Tokens',
    width: 86,
    isNumber: true,
    field: 'summary.weave.total_tokens',
    isSorted: true,
  },
  {
    id: 'cost',
    label: 'Cost',
    width: 92,
    isNumber: true,
    field: 'summary.weave.total_cost',
    isSorted: true,
  },
  {
    id: 'started',
    label: 'Started',
    width: 156,
    field: 'started_at',
    isSorted: true,
  },
  {
    id: 'input',
    label: 'Input',
    width: 300,
    field: 'inputs',
  },
  {
    id: 'output',
    label: 'Output',
    width: 300,
    field: 'output',
  },
  {
    id: 'user',
    label: 'User',
    width: 110,
    field: 'wb_user_id',
    isSorted: true,
  },
  {
    id: 'thread',
    label: 'Thread',
    width: 150,
    field: 'thread_id',
    isSorted: true,
  },
  {
    id: 'feedback',
    label: 'Feedback',
    width: 88,
    isNumber: true,
    exported: 'feedback',
  },
  {
    id: 'exception',
    label: 'Exception',
    width: 260,
    field: 'exception',
  },
  { id: 'id', label: 'Call id', width: 300, field: 'id' },
];

const PATH = /^(inputs|output|attributes|summary)\./;
export const isPayloadPath = (text: string): boolean => PATH.test(text);

const PATH_WIDTH = 180;
/** The server reads at most this many paths for a list. */
export const PATHS_MAX = 10;

const pathColumn = (path: string): Column => ({
  id: path,
  label: path,
  width: PATH_WIDTH,
  field: path,
  isSorted: true,
  isPath: true,
});

const DEFAULTS = ['status', 'latency', 'tokens', 'cost', 'started', 'input', 'output'];
const WIDTH = /~(\d+)$/;
const WIDTH_MIN = 48;
const WIDTH_MAX = 2000;

/** The columns of an address, in its order. `input~420` is the column input with 420 pixels. */
export function columnsOf(text: string | undefined): readonly Column[] {
  return entriesOf(text).filter(({ id }) => id !== NAME_COLUMN.id);
}

/** The name of a call is always the first column. */
export function nameColumnOf(text: string | undefined): Column {
  return entriesOf(text).find(({ id }) => id === NAME_COLUMN.id) ?? NAME_COLUMN;
}

function entriesOf(text: string | undefined): readonly Column[] {
  const entries = text === undefined ? DEFAULTS : text.split(',').map(decoded);
  const known = entries.flatMap((entry): Column[] => {
    const width = Number(WIDTH.exec(entry)?.[1] ?? NaN);
    const column = columnOf(entry.replace(WIDTH, ''));
    if (column === undefined) return [];
    return [Number.isNaN(width) ? column : { ...column, width: boundedWidth(width) }];
  });
  const paths = known.filter(({ isPath }) => isPath).slice(PATHS_MAX);
  return known.filter((column) => !paths.includes(column));
}

export const columnOf = (id: string): Column | undefined =>
  [NAME_COLUMN, ...COLUMNS].find((column) => column.id === id) ??
  (isPayloadPath(id) ? pathColumn(id) : undefined);

export const boundedWidth = (width: number): number =>
  Math.round(Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, width)));

/** The text for the address; empty for the usual columns. */
export function columnsText(columns: readonly Column[], name: Column): string {
  const widths = [...(name.width === NAME_COLUMN.width ? [] : [name]), ...columns];
  const text = widths.map(entryText).join();
  return text === DEFAULTS.join() ? '' : text || 'none';
}

function entryText({ id, width }: Column): string {
  const isUsual = columnOf(id)?.width === width;
  return encoded(isUsual && !WIDTH.test(id) ? id : `${id}~${width}`);
}

/** A path may contain the comma that separates columns. */
const encoded = (id: string) => id.replaceAll('%', '%25').replaceAll(',', '%2C');
const decoded = (text: string) => text.replaceAll('%2C', ',').replaceAll('%25', '%');

export const pathsOf = (columns: readonly Column[]): readonly string[] =>
  columns.filter(({ isPath }) => isPath).map(({ id }) => id);
