import { useMutation } from '@tanstack/react-query';
import { post } from '../api/client.js';
import { formatCount } from '../format.js';
import { Problem } from '../ui/parts.js';
import css from './operations.module.css';

interface Verified {
  readonly is_unchanged: boolean;
  readonly entries: number | null;
  readonly end: string | null;
  readonly faults: readonly string[];
  readonly next: string | null;
}

/** Checks the whole chain, a part at a time. */
async function verifyAll(): Promise<Verified> {
  for (let after: string | null = null; ;) {
    const part: Verified = await post('/admin/audit/verify', after === null ? {} : { after });
    if (part.next === null) return part;
    after = part.next;
  }
}

/** Whether the audit log is as it was written. The end of the chain can be noted and compared later. */
export function Verify() {
  const { mutate, data, error, isPending } = useMutation({ mutationFn: verifyAll });
  return (
    <div className={css.actions}>
      <button type="button" disabled={isPending} onClick={() => mutate()}>
        {isPending ? 'Verifying…' : 'Verify'}
      </button>
      <p role="status" className={data?.is_unchanged === false ? css.bad : css.good}>
        {data !== undefined && sentenceOf(data)}
      </p>
      {error !== null && <Problem error={error} />}
    </div>
  );
}

function sentenceOf({ is_unchanged, entries, end, faults }: Verified): string {
  if (!is_unchanged) return `The audit log was changed after it was written. ${faults.join(' ')}`;
  return entries === null
    ? 'No entry of the audit log was changed, removed or moved.'
    : `${formatCount(entries)} entries are unchanged. End: ${end}`;
}
