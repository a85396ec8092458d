import type { CallPreview } from '../api/types.js';
import { CopyButton } from '../ui/parts.js';
import { COLUMNS, columnsOf, columnsText } from './columns.js';
import { asCurl, asPython, asTypeScript } from './copy-as.js';
import { csvOf, download, readJsonLines } from './export.js';
import { listRequest, RANGES } from './traces-query.js';
import type { TracesSearch } from './traces-search.js';
import type { TailState } from './use-tail.js';
import css from './toolbar.module.css';

type Change = { readonly [P in keyof TracesSearch]?: string | undefined };

interface ToolbarProps {
  readonly projectId: string;
  readonly search: TracesSearch;
  readonly calls: readonly CallPreview[];
  readonly tail: TailState;
  readonly areFacetsShown: boolean;
  readonly onFacets: () => void;
  readonly onChange: (change: Change) => void;
}

export function Toolbar(props: ToolbarProps) {
  const { search, tail, areFacetsShown, onFacets, onChange } = props;
  const isLive = search.live !== 'off' && tail !== 'off';
  return (
    <div className={css.toolbar}>
      <button type="button" aria-pressed={areFacetsShown} onClick={onFacets}>
        Facets
      </button>
      <TimeRange search={search} onChange={onChange} />
      <select
        aria-label="Which calls"
        value={search.calls ?? ''}
        onChange={(event) => onChange({ calls: event.target.value })}
      >
        <option value="">Traces</option>
        <option value="all">All calls</option>
      </select>
      <span className={css.space} />
      <Columns search={search} onChange={onChange} />
      <Export {...props} />
      <CopyAs {...props} />
      <button
        type="button"
        aria-pressed={isLive}
        disabled={search.to !== undefined}
        title={search.to === undefined ? 'Follow new calls (.)' : 'The time range has an end'}
        onClick={() => onChange({ live: search.live === 'off' ? undefined : 'off' })}
      >
        <span aria-hidden className={isLive ? css.live : css.still} /> Live
      </button>
    </div>
  );
}

type PartProps = Pick<ToolbarProps, 'search' | 'onChange'>;

function TimeRange({ search, onChange }: PartProps) {
  const isOwn = search.last === undefined && (search.from ?? search.to) !== undefined;
  return (
    <>
      <select
        aria-label="Time range"
        value={isOwn ? 'own' : (search.last ?? '')}
        onChange={({ target: { value } }) => {
          if (value === 'own') document.getElementById('own-range')?.showPopover();
          else onChange({ last: value, from: undefined, to: undefined });
        }}
      >
        <option value="">All time</option>
        {RANGES.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
        <option value="own">From … to …</option>
      </select>
      {isOwn && (
        <button type="button" popoverTarget="own-range">
          Edit
        </button>
      )}
      <div id="own-range" popover="auto" className={css.popover}>
        {OWN_RANGE.map(([end, label]) => (
          <label key={end}>
            {label}{' '}
            <input
              type="datetime-local"
              step="1"
              value={localText(search[end])}
              onChange={({ target }) => onChange({ [end]: isoText(target.value), last: undefined })}
            />
          </label>
        ))}
      </div>
    </>
  );
}

const OWN_RANGE = [
  ['from', 'From'],
  ['to', 'To'],
] as const;

/** The browser's field has no time zone: it shows local time. */
function localText(iso: string | undefined): string {
  if (iso === undefined || Number.isNaN(Date.parse(iso))) return '';
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

const isoText = (local: string) => (local === '' ? undefined : new Date(local).toISOString());

function Columns({ search, onChange }: PartProps) {
  const chosen = columnsOf(search.cols).map(({ id }) => id);
  const set = (ids: readonly string[]) => onChange({ cols: columnsText(ids) });
  const move = (id: string, step: number) => {
    const from = chosen.indexOf(id);
    const others = chosen.filter((one) => one !== id);
    set([...others.slice(0, from + step), id, ...others.slice(from + step)]);
  };
  const rest = COLUMNS.filter(({ id }) => !chosen.includes(id)).map(({ id }) => id);
  return (
    <>
      <button type="button" popoverTarget="columns">
        Columns
      </button>
      <div id="columns" popover="auto" className={css.popover}>
        {[...chosen, ...rest].map((id) => {
          const { label } = COLUMNS.find((column) => column.id === id)!;
          const place = chosen.indexOf(id);
          return (
            <div key={id} className={css.column}>
              <label>
                <input
                  type="checkbox"
                  checked={place !== -1}
                  onChange={() =>
                    set(place === -1 ? [...chosen, id] : chosen.filter((one) => one !== id))
                  }
                />{' '}
                {label}
              </label>
              {place > 0 && (
                <button
                  type="button"
                  aria-label={`Move ${label} left`}
                  onClick={() => move(id, -1)}
                >
                  ←
                </button>
              )}
              {place !== -1 && place < chosen.length - 1 && (
                <button
                  type="button"
                  aria-label={`Move ${label} right`}
                  onClick={() => move(id, 1)}
                >
                  →
                </button>
              )}
            </div>
          );
        })}
      </div>
    </>
  );
}

function Export({ projectId, search, calls }: ToolbarProps) {
  const name = projectId.replace('/', '-');
  const csv = () => download(`${name}.csv`, 'text/csv', csvOf(calls, columnsOf(search.cols)));
  const lines = async () => {
    const request = listRequest(projectId, search, Date.now());
    download(`${name}.jsonl`, 'application/jsonl', await readJsonLines(request));
  };
  return (
    <>
      <button type="button" popoverTarget="export">
        Export
      </button>
      <div id="export" popover="auto" className={css.popover}>
        <button type="button" onClick={csv}>
          CSV of the {calls.length} rows read so far
        </button>
        <button type="button" onClick={() => void lines()}>
          JSON lines of the whole calls, at most 10,000
        </button>
      </div>
    </>
  );
}

function CopyAs({ projectId, search }: ToolbarProps) {
  const request = () => ({ ...listRequest(projectId, search, Date.now()), limit: 100 });
  return (
    <>
      <button type="button" popoverTarget="copy-as">
        Copy as
      </button>
      <div id="copy-as" popover="auto" className={css.popover}>
        <p>This list as a program:</p>
        <CopyButton label="curl" text={() => asCurl(location.origin, request())} />
        <CopyButton label="Python" text={() => asPython(request())} />
        <CopyButton label="TypeScript" text={() => asTypeScript(location.origin, request())} />
      </div>
    </>
  );
}
