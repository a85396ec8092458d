import { usageIn } from './process-usage.js';

describe('the usage of a process', () => {
  it('is read after the command, which may contain brackets', () => {
    const fields = ['S', ...Array.from({ length: 40 }, (_, i) => String(i + 1))];
    fields[11] = '150';
    fields[12] = '50';
    const status = 'Name:\ta) b\nVmHWM:\t      90 kB\nVmRSS:\t      40 kB\nThreads:\t1\n';

    const usage = usageIn(`7 (a) b) ${fields.join(' ')}\n`, status);
    expect(usage).toEqual({ cpuSeconds: 2, memoryBytes: 40_960 });
  });
});
