import { useId } from 'react';
import { useSearch } from '@tanstack/react-router';
import { useChangeSearch } from '../ui/change-search.js';
import { CopyButton } from '../ui/parts.js';
import { snippets } from './snippets.js';
import css from './home.module.css';

/** What an empty server shows: the lines that send the first trace. */
export function FirstTrace() {
  const id = useId();
  const all = snippets(location.origin);
  const { sdk } = useSearch({ strict: false });
  const changeSearch = useChangeSearch();
  const chosen = Math.max(
    0,
    all.findIndex(({ name }) => name === sdk),
  );
  const snippet = all[chosen]!;
  return (
    <section className={css.first}>
      <h1>Send the first trace</h1>
      <p className={css.muted}>
        Copy the lines, put in your API key, and run them. The trace appears here by itself.
      </p>
      <div role="tablist" aria-label="SDK" className={css.tabs}>
        {all.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${index}`}
            aria-selected={index === chosen}
            aria-controls={`${id}-lines`}
            onClick={() => changeSearch({ sdk: name })}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-lines`} aria-labelledby={`${id}-${chosen}`}>
        {snippet.steps.map((step) => (
          <div key={step} className={css.snippet}>
            <pre tabIndex={0}>{step}</pre>
            <CopyButton text={step} />
          </div>
        ))}
      </div>
      <p role="status" className={css.waiting}>
        <span aria-hidden className={css.pulse} /> Waiting for the first trace…
      </p>
    </section>
  );
}
