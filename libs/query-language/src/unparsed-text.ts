import type { Sql } from '@app/clickhouse';
import { ALWAYS_UNDECIDED, type Undecided } from './undecided.js';
import { textHint } from './json-text.js';
import { MissingJson } from './missing-json.js';

/** A text that a prefilter does not parse. Every condition on it is undecided, except that the raw text can be searched. */
export class UnparsedText extends MissingJson {
  constructor(
    private readonly column: Sql,
    private readonly undecided: Undecided[],
  ) {
    super();
  }

  override text(): Sql {
    return this.undecide(super.text());
  }

  override number(): Sql {
    return this.undecide(super.number());
  }

  override integer(): Sql {
    return this.undecide(super.integer());
  }

  override bool(): Sql {
    return this.undecide(super.bool());
  }

  override size(): Sql {
    return this.undecide(super.size());
  }

  override exists(): Sql {
    return this.undecide(super.exists());
  }

  override equalsAny(texts: readonly string[]): Sql {
    return this.undecide(super.equalsAny(texts));
  }

  override contains(substr: string, ignoresCase: boolean): Sql {
    return this.undecide(super.contains(substr, ignoresCase));
  }

  mayContain(substr: string, ignoresCase: boolean): Sql | undefined {
    return textHint(this.column, substr, ignoresCase);
  }

  private undecide(value: Sql): Sql {
    this.undecided.push(ALWAYS_UNDECIDED);
    return value;
  }
}
