import { Injectable } from '@nestjs/common';
import { TypedObjects } from '../objects/typed-objects.js';
import { placeholderCode } from '../objects/typed-values.js';
import type { RecordContext } from '../record-facts.js';

const REMEMBERED_MAX = 10_000;

/** Publishes the ops that the calls of evaluations name. Their code is always the same, so once per process is enough. */
@Injectable()
export class EvaluationOps {
  private readonly refs = new Map<string, Promise<string>>();

  constructor(private readonly objects: TypedObjects) {}

  /** The ref of the op. Resolves when it can be read. */
  ref(name: string, owner: Omit<RecordContext, 'receivedAt'>): Promise<string> {
    const key = `${owner.projectId}/${name}`;
    const known = this.refs.get(key);
    if (known) return known;
    const published = this.objects
      .op(name, placeholderCode(functionIn(name)), owner)
      .then(({ ref }) => ref);
    this.remember(key, published);
    return published;
  }

  private remember(key: string, published: Promise<string>): void {
    this.refs.set(key, published);
    published.catch(() => this.refs.delete(key));
    const [oldest] = this.refs.keys();
    if (this.refs.size > REMEMBERED_MAX) this.refs.delete(oldest!);
  }
}

/** `Evaluation.evaluate` → `evaluate`. */
const functionIn = (name: string): string => /(\w+)$/.exec(name)?.[1] ?? 'op';
