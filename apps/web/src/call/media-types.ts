/** What the browser may show. SVG is not among them, because it can contain scripts. */
const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  m4a: 'audio/mp4',
  flac: 'audio/flac',
  mp4: 'video/mp4',
  webm: 'video/webm',
};
const OTHER_NAMES = ['audio/mp3', 'audio/x-wav', 'audio/wave', 'audio/opus', 'audio/x-m4a'];
const SHOWN: ReadonlySet<string> = new Set([...Object.values(TYPES), ...OTHER_NAMES]);

/** The type of a file by its name; undefined for a file that is only downloaded. */
export const fileType = (name: string): string | undefined =>
  TYPES[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];

/** A media type without its parameters, when the browser may show it. */
export function shownType(text: string): string | undefined {
  const type = text.split(';', 1)[0]!.trim().toLowerCase();
  return SHOWN.has(type) ? type : undefined;
}

/** The type of a `data:` text that can be shown. */
export function embeddedType(text: string): string | undefined {
  const type = /^data:([\w/+.-]+)(?:;[\w=.-]+)*;base64,/.exec(text)?.[1];
  return type === undefined ? undefined : shownType(type);
}

/** The files of a value: name → digest. */
export type FileDigests = Readonly<Record<string, string>>;

/** Files of a value that an SDK has stored beside the call; undefined for any other value. */
export function filesIn(value: unknown): FileDigests | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { _type, files } = value as { readonly _type?: unknown; readonly files?: unknown };
  if (_type !== 'CustomWeaveType' || typeof files !== 'object' || files === null) return undefined;
  const entries = Object.entries(files).filter(([, digest]) => typeof digest === 'string');
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
