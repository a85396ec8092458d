import { useNavigate, useSearch } from '@tanstack/react-router';

type Search = Readonly<Record<string, string | undefined>>;

/** The search of the address, and a change of it that keeps the rest. Everything that a screen shows is in it. */
export function useAddress(): [Search, (change: Search) => void] {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (next: Search) =>
    void navigate({
      to: '.',
      search: (before: Search) => ({ ...before, ...next }),
      replace: true,
      resetScroll: false,
    } as Parameters<typeof navigate>[0]);
  return [search, change];
}

/** A page number of the address, from 0. */
export const pageIn = (text: string | undefined): number =>
  Math.max(0, Number.parseInt(text ?? '0', 10) || 0);
