import css from './board.module.css';

interface Props {
  /** From 0. */
  readonly page: number;
  readonly last: number;
  readonly onPage: (page: number) => void;
}

export function Pager({ page, last, onPage }: Props) {
  return (
    <>
      <button type="button" disabled={page === 0} onClick={() => onPage(page - 1)}>
        Previous
      </button>
      <span className={css.muted}>
        Page {page + 1} of {last + 1}
      </span>
      <button type="button" disabled={page >= last} onClick={() => onPage(page + 1)}>
        Next
      </button>
    </>
  );
}
