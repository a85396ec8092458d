import { useId, useState, type FormEvent } from 'react';
import { mayWrite } from '../login/session.js';
import { useSession } from '../shell/session-context.js';
import { Problem } from '../ui/parts.js';
import { searchOf } from './saved-view.js';
import { TRACES_SEARCH, type SearchChange, type TracesSearch } from './traces-search.js';
import { useChangeViews, useViews, type NamedView } from './use-views.js';
import css from './toolbar.module.css';

interface ViewsMenuProps {
  readonly projectId: string;
  readonly search: TracesSearch;
  readonly onChange: (change: SearchChange) => void;
}

const NOTHING: SearchChange = Object.fromEntries(TRACES_SEARCH.map((name) => [name, undefined]));

/** Opens, saves, renames and deletes saved views. */
export function ViewsMenu({ projectId, search, onChange }: ViewsMenuProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { data, error } = useViews(projectId, isOpen || search.view !== undefined);
  const views = data ?? [];
  const current = views.find(({ name }) => name === search.view);
  return (
    <>
      <button type="button" popoverTarget="views">
        {current === undefined ? 'Views' : current.view.label}
      </button>
      <div
        id="views"
        popover="auto"
        className={css.popover}
        onToggle={(event) => setIsOpen(event.newState === 'open')}
      >
        {error !== null && <Problem error={error} />}
        {isOpen && data?.length === 0 && <p>There are no saved views yet.</p>}
        <ul className={css.views} aria-label="Saved views">
          {views.map(({ name, view }) => (
            <li key={name}>
              <button
                type="button"
                aria-pressed={name === search.view}
                onClick={() => onChange({ ...NOTHING, ...searchOf(view), view: name })}
              >
                {view.label}
              </button>
            </li>
          ))}
        </ul>
        {isOpen && <ChangeViews {...{ projectId, search, views, current, onChange }} />}
      </div>
    </>
  );
}

interface ChangeViewsProps extends ViewsMenuProps {
  readonly views: readonly NamedView[];
  readonly current: NamedView | undefined;
}

function ChangeViews({ projectId, search, views, current, onChange }: ChangeViewsProps) {
  const id = useId();
  const { role } = useSession();
  const [label, setLabel] = useState('');
  const { create, update, rename, remove, error, isPending } = useChangeViews(projectId, views);
  if (!mayWrite(role)) return null;
  const given = label.trim();
  const saveNew = async (event: FormEvent) => {
    event.preventDefault();
    if (given === '') return;
    const name = await create(given, search);
    setLabel('');
    onChange({ view: name });
  };
  return (
    <form className={css.views} onSubmit={(event) => void saveNew(event)}>
      {error !== null && <Problem error={error} />}
      <label htmlFor={id}>Name of the view</label>
      <input id={id} value={label} onChange={(event) => setLabel(event.target.value)} />
      <button type="submit" disabled={isPending || given === ''}>
        Save as a new view
      </button>
      {current !== undefined && (
        <>
          <button type="button" disabled={isPending} onClick={() => void update(current, search)}>
            Save the changes of {current.view.label}
          </button>
          <button
            type="button"
            disabled={isPending || given === ''}
            onClick={() => void rename(current, given).then(() => setLabel(''))}
          >
            Rename {current.view.label}
          </button>
          <button
            type="button"
            disabled={isPending}
            onClick={() => void remove(current).then(() => onChange({ view: undefined }))}
          >
            Delete {current.view.label}
          </button>
        </>
      )}
    </form>
  );
}
