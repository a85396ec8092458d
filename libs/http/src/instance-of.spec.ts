import { Type } from 'class-transformer';
import { instanceOf } from './instance-of.js';

class Leaf {
  a?: unknown;
}

class Tree {
  name?: unknown;
  @Type(() => Leaf) leaf?: Leaf;
  @Type(() => Leaf) leaves?: Leaf[];
}

class Wood extends Tree {}

describe('a body as its DTO', () => {
  it('has parts where the DTO says so, also when it inherits that', () => {
    const made = instanceOf(Wood, { name: 'x', leaf: { a: 1 }, leaves: [{ a: 2 }, null, 3] });

    expect(made).toBeInstanceOf(Wood);
    expect(made.leaf).toBeInstanceOf(Leaf);
    expect(made.leaves).toEqual([{ a: 2 }, null, 3]);
    expect(made.leaves?.[0]).toBeInstanceOf(Leaf);
  });

  it.each(['{"constructor":"x"}', '{"constructor":{"constructor":null}}', '{"__proto__":{"a":1}}'])(
    'takes such keys for data, and ignores them where it has parts of its own: %s',
    (text) => {
      const body = JSON.parse(`{"name":${text},"leaf":${text}}`) as object;

      const made = instanceOf(Tree, body);

      expect(JSON.stringify(made.name)).toBe(text);
      expect(JSON.stringify(made.leaf)).toBe('{}');
      expect(made).toBeInstanceOf(Tree);
      expect(made.leaf?.a).toBeUndefined();
    },
  );
});
