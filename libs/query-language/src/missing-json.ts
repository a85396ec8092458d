import { raw, type Sql } from '@app/clickhouse';
import type { Json } from './value.js';

/** A path without a value in any row. */
export class MissingJson implements Json {
  readonly kind = 'json';

  text(): Sql {
    return raw(`''`);
  }

  number(): Sql {
    return raw(`CAST(NULL, 'Nullable(Float64)')`);
  }

  integer(): Sql {
    return raw(`CAST(NULL, 'Nullable(Int64)')`);
  }

  bool(): Sql {
    return raw(`CAST(NULL, 'Nullable(Bool)')`);
  }

  size(): Sql {
    return raw(`CAST(NULL, 'Nullable(Int64)')`);
  }

  exists(): Sql {
    return raw('false');
  }

  equalsAny(texts: readonly string[]): Sql {
    return raw(String(texts.includes('')));
  }

  contains(substr: string, _ignoresCase: boolean): Sql {
    return raw(String(substr === ''));
  }
}
