import { standardError } from './standard-error.js';

/** A pipe whose writes have these results in turn: a number of bytes written, or an error code. */
function aPipe(...results: (number | string)[]) {
  let written = '';
  const write = (bytes: Buffer) => {
    const result = results.shift() ?? bytes.length;
    if (typeof result === 'string') throw Object.assign(new Error(result), { code: result });
    written += bytes.subarray(0, result).toString();
    return result;
  };
  return { line: standardError(write), written: () => written };
}

describe('standard error', () => {
  it('receives whole lines after partial writes and from a slow reader', () => {
    const { line, written } = aPipe(3, 'EAGAIN', 2, 'EAGAIN');

    line.write('one line\n');
    line.write('another\n');

    expect(written()).toBe('one line\nanother\n');
  });

  it('drops a line when the pipe is closed', () => {
    const { line, written } = aPipe('EPIPE');

    line.write('gone\n');
    line.write('back\n');

    expect(written()).toBe('back\n');
  });

  it('drops a line when the reader is too slow', () => {
    const { line, written } = aPipe(...(Array(10_000).fill('EAGAIN') as string[]));

    line.write('never\n');

    expect(written()).toBe('');
  });
});
