import { createLogger, type LogLevel } from './logger.js';
import { prettyLines } from './pretty-lines.js';

function aLog(level: LogLevel = 'info') {
  const lines: string[] = [];
  return {
    lines,
    logger: createLogger('ingest', level, { write: (line) => void lines.push(line) }),
  };
}

describe('the log', () => {
  it('is one JSON line per message, with its fields', () => {
    const { lines, logger } = aLog();

    logger.warn('Two\nlines.', { chunkId: 'c1', nested: { a: 1 } });

    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\n]*\n$/);
    expect(JSON.parse(lines[0]!)).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      app: 'ingest',
      chunkId: 'c1',
      nested: { a: 1 },
      msg: 'Two\nlines.',
    });
  });

  it('omits messages below its level', () => {
    const { lines, logger } = aLog('warn');

    logger.debug('a');
    logger.info('b');
    logger.warn('c');
    logger.error('d');

    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['c', 'd']);
  });

  it('has the fields of a child logger on every line', () => {
    const { lines, logger } = aLog();

    logger.with({ worker: 7 }).info('Started.', { url: 'x' });
    logger.info('Without.');

    expect(JSON.parse(lines[0]!)).toMatchObject({ worker: 7, url: 'x', app: 'ingest' });
    expect(JSON.parse(lines[1]!)).not.toHaveProperty('worker');
  });

  it('is text for people with the pretty format, and a stack follows its line', () => {
    const lines: string[] = [];
    const pretty = prettyLines({ write: (line) => void lines.push(line) });
    const logger = createLogger('worker', 'info', pretty);

    logger.warn('ClickHouse unavailable.', { attempt: 4, host: 'a:1', why: 'no response' });
    logger.error('Failed.', { error: 'Error: x\n    at y' });

    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} WARN  worker  ClickHouse unavailable\. attempt=4 host=a:1 why="no response"\n$/,
    );
    expect(lines[1]).toMatch(/ ERROR worker {2}Failed\.\nError: x\n {4}at y\n$/);
  });
});
