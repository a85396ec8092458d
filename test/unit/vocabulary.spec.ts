import { violations } from '../support/vocabulary.mjs';

/** The folders that use only the field's own words. The other folders join the list when they are finished. */
const CLEAN = ['test', 'scripts'];

describe.each(CLEAN)('%s', (folder) => {
  it('has no word that test/support/vocabulary.mjs replaces', () => {
    expect(violations([folder])).toEqual([]);
  });
});
