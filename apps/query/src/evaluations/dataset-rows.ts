import { Injectable } from '@nestjs/common';
import { refIn } from '@app/contracts';
import type { ReadContext } from '../read-context.js';
import { RefResolver } from '../refs/ref-resolver.js';
import type { Example } from './trial-fields.js';

/** Reads the rows of datasets that examples refer to. */
@Injectable()
export class DatasetRows {
  constructor(private readonly refs: RefResolver) {}

  /** JSON texts in the order of the examples; undefined for a row that is not in the project. */
  async texts(
    projectId: string,
    examples: readonly Example[],
    context: ReadContext,
  ): Promise<(string | undefined)[]> {
    const texts = new Map<string, string | undefined>();
    for (const { ref } of examples) if (ref !== undefined) texts.set(ref, undefined);
    const known = [...texts.keys()].flatMap((text) => {
      const ref = refIn(text);
      return ref?.projectId === projectId ? [{ text, ref }] : [];
    });
    const values = await this.refs.resolveKnown(
      known.map(({ ref }) => ref),
      context,
    );
    for (const [i, value] of values.entries())
      if (value !== null) texts.set(known[i]!.text, value.toString('utf8'));
    return examples.map(({ ref, json }) => (ref === undefined ? json : texts.get(ref)));
  }
}
