import { createRequire } from 'node:module';

interface Emoji {
  readonly name: string;
  readonly slug: string;
}

const EMOJIS = createRequire(import.meta.url)('unicode-emoji-json') as Record<string, Emoji>;

/** Clients send an emoji with and without its variation selector. */
const bare = (text: string) => text.replaceAll('\ufe0f', '');
const KNOWN = new Map(
  Object.entries(EMOJIS).map(([emoji, about]) => [bare(emoji), { emoji, about }]),
);

const ONE_EMOJI = new RegExp('^\\p{RGI_Emoji}$', 'v');
const TONES: Readonly<Record<string, string>> = {
  '\u{1f3fb}': 'light',
  '\u{1f3fc}': 'medium-light',
  '\u{1f3fd}': 'medium',
  '\u{1f3fe}': 'medium-dark',
  '\u{1f3ff}': 'dark',
};
const TONE = /[\u{1f3fb}-\u{1f3ff}]/gu;

export interface Reaction {
  readonly alias: string;
  /** The emoji without skin tones. */
  readonly detoned: string;
  readonly detoned_alias: string;
}

/** The aliases of an emoji; undefined for text that is not exactly one emoji. */
export function reactionOf(text: string): Reaction | undefined {
  if (!ONE_EMOJI.test(text) && !KNOWN.has(bare(text))) return undefined;
  const tones = text.match(TONE) ?? [];
  const plain = bare(text.replace(TONE, ''));
  const known = KNOWN.get(plain) ?? KNOWN.get(bare(text));
  const name = known ? nameOf(known.about) : plain;
  const toned = [...new Set(tones)].map((tone) => `_${TONES[tone]}_skin_tone`).join('');
  return {
    alias: `:${name}${toned}:`,
    detoned: tones.length === 0 ? text : (known?.emoji ?? plain),
    detoned_alias: `:${name}:`,
  };
}

/** The alias of a flag is its country. */
function nameOf({ name, slug }: Emoji): string {
  return name.startsWith('flag ') ? name.slice('flag '.length).replaceAll(' ', '_') : slug;
}
