import type { DestinationStream } from 'pino';

/** Prints JSON lines for people: time, level, app and sentence, then the other fields. */
export function prettyLines(destination: DestinationStream): DestinationStream {
  return { write: (line) => destination.write(pretty(line)) };
}

function pretty(line: string): string {
  const { time, level, app, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const { stack, ...others } = stackIn(fields);
  const rest = Object.entries(others).map(([name, value]) => ` ${name}=${shown(value)}`);
  const head = `${String(time).slice(11, 23)} ${String(level).toUpperCase().padEnd(5)} ${String(app)}`;
  return `${head}  ${String(msg)}${rest.join('')}\n${stack === undefined ? '' : `${stack}\n`}`;
}

/** An error of several lines is printed after the line. */
function stackIn(fields: Record<string, unknown>): Record<string, unknown> & { stack?: string } {
  const { error } = fields;
  if (typeof error !== 'string' || !error.includes('\n')) return fields;
  const { error: _, ...others } = fields;
  return { ...others, stack: error };
}

const shown = (value: unknown): string =>
  typeof value === 'string' && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);
