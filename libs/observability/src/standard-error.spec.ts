import { standardError } from './standard-error.js';

/** A pipe that takes so many bytes, fails with a code, or is given more such answers in turn. */
function aPipe(...answers: (number | string)[]) {
  let written = '';
  const write = (bytes: Buffer) => {
    const answer = answers.shift() ?? bytes.length;
    if (typeof answer === 'string') throw Object.assign(new Error(answer), { code: answer });
    written += bytes.subarray(0, answer).toString();
    return answer;
  };
  return { line: standardError(write), written: () => written };
}

describe('standard error', () => {
  it('gets whole lines, also in pieces and from a slow reader', () => {
    const { line, written } = aPipe(3, 'EAGAIN', 2, 'EAGAIN');

    line.write('one line\n');
    line.write('another\n');

    expect(written()).toBe('one line\nanother\n');
  });

  it('that nobody reads any more holds nobody up', () => {
    const { line, written } = aPipe('EPIPE');

    line.write('gone\n');
    line.write('back\n');

    expect(written()).toBe('back\n');
  });

  it('that nobody reads for long loses lines instead of time', () => {
    const { line, written } = aPipe(...(Array(10_000).fill('EAGAIN') as string[]));
    const begun = performance.now();

    line.write('never\n');

    expect(written()).toBe('');
    expect(performance.now() - begun).toBeLessThan(5000);
  });
});
