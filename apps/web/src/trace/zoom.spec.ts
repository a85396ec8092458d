import { panned, zoomed, zoomOf, zoomText } from './zoom.js';

describe('the part of a trace that the waterfall shows', () => {
  const whole = { from: 0, to: 1000 };

  it('is the whole trace unless the address says otherwise', () => {
    expect(zoomOf(undefined, 1000)).toEqual(whole);
    expect(zoomOf('nonsense', 1000)).toEqual(whole);
    expect(zoomOf('100-300', 1000)).toEqual({ from: 100, to: 300 });
    expect(zoomOf('900-100', 1000)).toEqual({ from: 900, to: 910 });
    expect(zoomText(zoomOf('100-300', 1000), 1000)).toBe('100-300');
    expect(zoomText(whole, 1000)).toBe('');
  });

  it('becomes shorter and longer around its middle, and never leaves the trace', () => {
    expect(zoomed(whole, 0.5, 1000)).toEqual({ from: 250, to: 750 });
    expect(zoomed({ from: 0, to: 100 }, 4, 1000)).toEqual({ from: 0, to: 250 });
    expect(zoomed(whole, 2, 1000)).toEqual(whole);
  });

  it('moves until the end of the trace', () => {
    expect(panned({ from: 100, to: 300 }, 0.5, 1000)).toEqual({ from: 200, to: 400 });
    expect(panned({ from: 100, to: 300 }, -1, 1000)).toEqual({ from: 0, to: 200 });
    expect(panned({ from: 700, to: 900 }, 2, 1000)).toEqual({ from: 800, to: 1000 });
  });
});
