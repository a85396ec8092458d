import { useNavigate } from '@tanstack/react-router';

/** Changes members of the address and keeps the others; an empty text removes one. */
export function useChangeSearch(): (change: Readonly<Record<string, string>>) => void {
  const navigate = useNavigate();
  return (change) =>
    void navigate({
      to: '.',
      search: (search: Record<string, string | undefined>) => ({ ...search, ...change }),
      replace: true,
      resetScroll: false,
    } as Parameters<typeof navigate>[0]);
}
