import { mergedPage } from './merged-page.js';

const page = (...lines: string[]) => `${lines.join('\n')}\n`;

describe('the page of two processes', () => {
  it('has each family once, and a label on the samples of the other process', () => {
    const own = page('# HELP a_total A.', '# TYPE a_total counter', 'a_total 1', '');
    const other = page(
      '# HELP a_total A.',
      '# TYPE a_total counter',
      'a_total 2',
      '',
      '# HELP b_seconds B.',
      '# TYPE b_seconds histogram',
      'b_seconds_bucket{le="1",op="x{y"} 3',
      'b_seconds_count 3',
    );

    expect(mergedPage(own, other, 'worker')).toBe(
      page(
        '# HELP a_total A.',
        '# TYPE a_total counter',
        'a_total 1',
        'a_total{process="worker"} 2',
        '',
        '# HELP b_seconds B.',
        '# TYPE b_seconds histogram',
        'b_seconds_bucket{process="worker",le="1",op="x{y"} 3',
        'b_seconds_count{process="worker"} 3',
      ),
    );
  });

  it('is the own page when the other is empty', () => {
    const own = page('# HELP a A.', '# TYPE a gauge', 'a{x="1"} 1');
    expect(mergedPage(own, '', 'worker')).toBe(own);
  });
});
