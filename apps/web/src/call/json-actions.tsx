import { useRouter } from '@tanstack/react-router';
import { printSearch } from '../search-params.js';
import { isPayloadPath } from '../traces/column-list.js';
import { copyText, CopyButton } from '../ui/parts.js';
import type { JsonRow } from './json-document.js';
import type { JsonSource } from './json-source.js';
import { valueFilter } from './value-filter.js';
import css from './json-view.module.css';

interface JsonActionsProps {
  readonly projectId: string;
  readonly source: JsonSource;
  readonly path: string;
  readonly row: JsonRow;
  readonly onClose: () => void;
}

/** What can be done with the selected value. */
export function JsonActions({ projectId, source, path, row, onClose }: JsonActionsProps) {
  const router = useRouter();
  const { keys, kind, isCut } = row;
  const isScalar = kind !== 'object' && kind !== 'array';
  const isOfCall = isPayloadPath(path);
  const filter = async () => {
    const q = valueFilter(path, kind, await source.value(keys, Infinity));
    router.history.push(`/${projectId}/weave/traces${printSearch({ q, calls: 'all' })}`);
  };
  const column = () =>
    router.history.push(
      `/${projectId}/weave/traces${printSearch({ cols: `status,latency,started,${path}`, calls: 'all' })}`,
    );
  return (
    <div className={css.actions}>
      <code>{path}</code>
      <CopyButton label="Copy path" text={path} />
      <button
        type="button"
        onClick={() => void source.value(keys, Infinity).then((text) => copyText(text))}
      >
        Copy value
      </button>
      {isOfCall && isScalar && !isCut && (
        <button type="button" onClick={() => void filter()}>
          Calls with this value
        </button>
      )}
      {isOfCall && (
        <button type="button" onClick={column}>
          Show as a column
        </button>
      )}
      <button type="button" aria-label="Close" onClick={onClose}>
        ×
      </button>
    </div>
  );
}
