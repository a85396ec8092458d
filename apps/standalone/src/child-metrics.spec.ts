import { metricsPage } from '@app/observability';
import { measureChildren } from './child-metrics.js';

async function values(): Promise<Record<string, number>> {
  const lines = [...(await metricsPage()).matchAll(/^heddle_child_(\w+){child="(\w+)"} (\S+)$/gm)];
  return Object.fromEntries(lines.map(([, name, child, value]) => [`${child} ${name}`, +value!]));
}

describe('the metrics of child processes', () => {
  it('add up the CPU time of a child over its restarts', async () => {
    let pid: number | undefined = 7;
    let usage: { cpuSeconds: number; memoryBytes: number } | undefined;
    measureChildren({ redis: () => pid }, async () => usage);

    usage = { cpuSeconds: 2, memoryBytes: 100 };
    await values();
    usage = { cpuSeconds: 3, memoryBytes: 200 };
    expect(await values()).toEqual({
      'redis up': 1,
      'redis resident_memory_bytes': 200,
      'redis cpu_seconds_total': 3,
    });
    pid = undefined;
    expect(await values()).toMatchObject({ 'redis up': 0, 'redis resident_memory_bytes': 0 });
    pid = 8;
    usage = { cpuSeconds: 0.5, memoryBytes: 50 };
    expect(await values()).toMatchObject({ 'redis up': 1, 'redis cpu_seconds_total': 3.5 });
  });
});
