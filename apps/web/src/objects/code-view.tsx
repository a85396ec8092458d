import { useMemo } from 'react';
import { highlighted, type Language } from './highlight.js';
import css from './code-view.module.css';

/** Code with colours. Every part is a text, so that nothing in it can run. */
export function CodeView({
  code,
  language,
}: {
  readonly code: string;
  readonly language: Language;
}) {
  const tokens = useMemo(() => highlighted(code, language), [code, language]);
  return (
    <pre tabIndex={0} className={css.code}>
      {tokens.map(({ kind, text }, i) =>
        kind === 'plain' ? (
          text
        ) : (
          <span key={i} className={css[kind]}>
            {text}
          </span>
        ),
      )}
    </pre>
  );
}
