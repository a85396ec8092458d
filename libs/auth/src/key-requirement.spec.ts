import { randomBytes } from 'node:crypto';
import { weaknessOf } from './key-requirement.js';

describe('HEDDLE_API_KEY', () => {
  it.each(['', 'secret', 'changeme', 'heddle', 'a'.repeat(15)])('is too short: %s', (key) => {
    expect(weaknessOf(key)).toMatch(/shorter than 16/);
  });

  it.each([
    'please-change-me-now',
    'CHANGEME-CHANGEME',
    'your-api-key-goes-here',
    'an-example-key-of-ours',
    'password-password',
    'x'.repeat(64),
  ])('is a placeholder: %s', (key) => {
    expect(weaknessOf(key)).toMatch(/placeholder/);
  });

  it('is good when it is long and random', () => {
    for (let i = 0; i < 100; i++) {
      expect(weaknessOf(randomBytes(32).toString('hex'))).toBeUndefined();
    }
  });
});
