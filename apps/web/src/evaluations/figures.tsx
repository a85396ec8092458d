import { Link } from '@tanstack/react-router';

const SHOWN_CHARACTERS = 300;

/** Up to four significant digits. */
export function formatFigure(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const text = Math.abs(value) >= 1000 ? value.toFixed(0) : value.toPrecision(3);
  return String(Number(text));
}

export const signed = (value: number): string =>
  `${value > 0 ? '+' : value < 0 ? '−' : '±'}${formatFigure(Math.abs(value))}`;

/** The beginning of a value as text. */
export function excerpt(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

interface CallLinkProps {
  readonly projectId: string;
  readonly callId: string;
  readonly label?: string | undefined;
  readonly children: React.ReactNode;
}

/** Opens the trace of a call. */
export function CallLink({ projectId, callId, label, children }: CallLinkProps) {
  const [entity = '', project = ''] = projectId.split('/');
  return (
    <Link
      to="/$entity/$project/r/call/$callId"
      params={{ entity, project, callId }}
      aria-label={label}
    >
      {children}
    </Link>
  );
}
