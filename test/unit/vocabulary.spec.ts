import { violations } from '../support/vocabulary.mjs';

/** A folder or document of each. The list of words and its few exceptions stand in one place. */
const PLACES = [
  'apps',
  'libs',
  'docs',
  'test',
  'scripts',
  'deploy',
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
];

describe.each(PLACES)('%s', (folder) => {
  it('has no word that test/support/vocabulary.mjs replaces', () => {
    expect(violations([folder])).toEqual([]);
  });
});
