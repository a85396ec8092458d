import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './processes.js';

const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The text of the README between a heading or sentence and the end of the next block in this language. */
export const blockAfter = (words: string, language: string): string => {
  const [, block] = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(
    readme.slice(readme.indexOf(words)),
  )!;
  return block!;
};
