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
  mp4: 'video/mp4',
  webm: 'video/webm',
};
const SHOWN: ReadonlySet<string> = new Set([...Object.values(TYPES), 'audio/mp3', 'audio/x-wav']);

/** The type of a file by its name; undefined for a file that is only downloaded. */
export const fileType = (name: string): string | undefined =>
  TYPES[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];

/** The type of a `data:` text that can be shown. */
export function embeddedType(text: string): string | undefined {
  const type = /^data:([\w/+.-]+);base64,/.exec(text)?.[1]?.toLowerCase();
  return type !== undefined && SHOWN.has(type) ? type : undefined;
}
