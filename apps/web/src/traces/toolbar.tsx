import { CopyButton } from '../ui/parts.js';
import { ColumnsMenu } from './columns-menu.js';
import { asCurl, asPython, asTypeScript } from './copy-as.js';
import { ExportMenu } from './export-menu.js';
import { listRequest, RANGES } from './traces-query.js';
import type { SearchChange, TracesSearch } from './traces-search.js';
import { ViewsMenu } from './views-menu.js';
import type { TailState } from './use-tail.js';
import css from './toolbar.module.css';

interface ToolbarProps {
  readonly projectId: string;
  readonly search: TracesSearch;
  /** Paths that occur in the list. */
  readonly paths: readonly string[];
  readonly tail: TailState;
  readonly areFacetsShown: boolean;
  readonly onFacets: () => void;
  readonly onChange: (change: SearchChange) => void;
}

const LIVE_TITLES: Readonly<Record<TailState, string>> = {
  live: 'New calls appear by themselves; stop to hold the list (.)',
  connecting: 'Connecting',
  lost: 'The connection was lost; the list continues where it stopped',
  off: 'The server follows no more lists for this key now',
};

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
      <ViewsMenu {...props} />
      <ColumnsMenu {...props} />
      <ExportMenu {...props} />
      <CopyAs {...props} />
      <button
        type="button"
        aria-pressed={isLive}
        disabled={search.to !== undefined}
        title={search.to === undefined ? LIVE_TITLES[tail] : 'The time range has an end'}
        onClick={() => onChange({ live: search.live === 'off' ? undefined : 'off' })}
      >
        <span aria-hidden className={isLive && tail !== 'lost' ? css.live : css.still} />{' '}
        {tail === 'lost' ? 'Reconnecting…' : 'Live'}
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
