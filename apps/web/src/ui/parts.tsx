import { useEffect, useState, type ReactNode } from 'react';
import type { Status } from '../api/types.js';
import css from './parts.module.css';

const STATUS_WORDS: Readonly<Record<Status, string>> = {
  success: 'ok',
  error: 'error',
  descendant_error: 'error below',
  running: 'running',
};

/** A word beside the dot, because colour alone is not enough. */
export function StatusBadge({ status }: { readonly status: Status }) {
  return (
    <span className={`${css.status} ${css[status]}`}>
      <span aria-hidden className={css.dot} />
      {STATUS_WORDS[status]}
    </span>
  );
}

const COPIED_MS = 1_500;

export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: string | (() => string);
  readonly label?: string;
}) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    await copyText(typeof text === 'string' ? text : text());
    setIsCopied(true);
  };
  return (
    <button type="button" onClick={() => void copy()}>
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </button>
  );
}

/** Pages of plain http on another machine have no clipboard interface; there a selection is copied. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

/** An error with its sentence, and a way on. */
export function Problem({
  error,
  retry,
}: {
  readonly error: unknown;
  readonly retry?: () => void;
}) {
  return (
    <div role="alert" className={css.problem}>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Empty({ children }: { readonly children: ReactNode }) {
  return <div className={css.empty}>{children}</div>;
}

/** The current time, renewed every `ms`, for ages and running calls. */
export function useNow(ms: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), ms);
    return () => clearInterval(timer);
  }, [ms]);
  return now;
}

/** Sets the title of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Heddle' : `${title} · Heddle`;
  }, [title]);
}
