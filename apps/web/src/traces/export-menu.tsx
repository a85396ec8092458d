import { useMutation } from '@tanstack/react-query';
import { Problem } from '../ui/parts.js';
import { saveFile } from '../ui/save-file.js';
import { columnsOf, nameColumnOf } from './column-list.js';
import { exportRequest, readFile, type ExportFormat } from './export.js';
import { listRequest } from './traces-query.js';
import type { TracesSearch } from './traces-search.js';
import css from './toolbar.module.css';

const FORMATS: readonly (readonly [format: ExportFormat, label: string])[] = [
  ['csv', 'CSV'],
  ['jsonl', 'JSON lines'],
  ['parquet', 'Parquet'],
];

interface ExportMenuProps {
  readonly projectId: string;
  readonly search: TracesSearch;
}

/** Writes a file of the list: its filter, order and columns, and all of its rows. */
export function ExportMenu({ projectId, search }: ExportMenuProps) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (format: ExportFormat) => {
      const columns = [nameColumnOf(search.cols), ...columnsOf(search.cols)];
      const request = listRequest(projectId, search, Date.now());
      const file = await readFile(exportRequest(request, columns, format));
      saveFile(`${projectId.replace('/', '-')}.${format}`, file);
    },
  });
  return (
    <>
      <button type="button" popoverTarget="export">
        Export
      </button>
      <div id="export" popover="auto" className={css.popover}>
        <p>All rows of this list, with these columns:</p>
        {FORMATS.map(([format, label]) => (
          <button key={format} type="button" disabled={isPending} onClick={() => mutate(format)}>
            {label}
          </button>
        ))}
        {isPending && <p role="status">The server writes the file…</p>}
        {error !== null && <Problem error={error} />}
      </div>
    </>
  );
}
