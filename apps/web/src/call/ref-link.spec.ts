import { refHref } from './ref-link.js';

describe('the address of a ref', () => {
  it.each([
    ['weave:///a/b/call/123', '/a/b/r/call/123'],
    ['weave:///a/b/op/f:xyz', '/a/b/weave/ops/f/versions/xyz'],
    ['weave:///a/b/object/cfg:v1/attr/x', '/a/b/weave/objects/cfg/versions/v1'],
    ['weave:///a/b/op/f:*', undefined],
    ['https://elsewhere.example', undefined],
    ['javascript:alert(1)', undefined],
  ])('of %s is %s', (ref, href) => {
    expect(refHref(ref)).toBe(href);
  });
});
