import type { Sql } from '@app/clickhouse';
import { ALWAYS_UNDECIDED, type Undecided } from './undecided.js';
import { textHint } from './json-text.js';
import { MissingJson } from './missing-json.js';

/** A text that a guess does not parse: it knows nothing of it, except that it cannot contain what is not in its bytes. */
export class UnparsedText extends MissingJson {
  constructor(
    private readonly column: Sql,
    private readonly doubts: Undecided[],
  ) {
    super();
  }

  override text(): Sql {
    return this.unknown(super.text());
  }

  override number(): Sql {
    return this.unknown(super.number());
  }

  override integer(): Sql {
    return this.unknown(super.integer());
  }

  override bool(): Sql {
    return this.unknown(super.bool());
  }

  override size(): Sql {
    return this.unknown(super.size());
  }

  override exists(): Sql {
    return this.unknown(super.exists());
  }

  override equalsAny(texts: readonly string[]): Sql {
    return this.unknown(super.equalsAny(texts));
  }

  override contains(substr: string, ignoresCase: boolean): Sql {
    return this.unknown(super.contains(substr, ignoresCase));
  }

  mayContain(substr: string, ignoresCase: boolean): Sql | undefined {
    return textHint(this.column, substr, ignoresCase);
  }

  private unknown(guess: Sql): Sql {
    this.doubts.push(ALWAYS_UNDECIDED);
    return guess;
  }
}
