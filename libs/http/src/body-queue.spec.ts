import { BodyQueue } from './body-queue.js';

const job = (name: string, bytes: number) => ({ name, bytes });

describe('BodyQueue', () => {
  it('takes small bodies before large ones that came earlier', () => {
    const queue = new BodyQueue<{ name: string; bytes: number }>();
    queue.add(job('large', 30_000));
    queue.add(job('small', 100));
    queue.add(job('smaller', 50));
    expect([queue.take(), queue.take(), queue.take()].map((one) => one?.name)).toEqual([
      'smaller',
      'small',
      'large',
    ]);
    expect(queue.take()).toBeUndefined();
  });

  it('takes bodies of one size in the order of arrival', () => {
    const queue = new BodyQueue<{ name: string; bytes: number }>();
    for (const name of ['a', 'b', 'c']) queue.add(job(name, 100));
    expect([queue.take(), queue.take(), queue.take()].map((one) => one?.name)).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('lets no body wait while smaller ones keep arriving', () => {
    const queue = new BodyQueue<{ name: string; bytes: number }>();
    queue.add(job('start', 300));
    queue.add(job('end 0', 170));
    const taken: string[] = [];
    for (let i = 1; taken.at(-1) !== 'start' && i < 100; i++) {
      taken.push(queue.take()!.name);
      queue.add(job(`end ${i}`, 170));
    }
    expect(taken).toEqual(['end 0', 'start']);
  });
});
