import { useQuery } from '@tanstack/react-query';
import { indentJson } from '../operations/indent-json.js';
import { payloadQuery, type Member } from '../call/use-call.js';
import { Problem } from '../ui/parts.js';
import { useAddress } from '../ui/use-address.js';
import css from '../ui/board.module.css';
import { JsonDiffTable, TextDiff } from './diff-view.js';

const MEMBERS: readonly (readonly [Member, string])[] = [
  ['inputs', 'Inputs'],
  ['output', 'Output'],
  ['attributes', 'Attributes'],
];

interface PayloadDiffProps {
  readonly projectId: string;
  readonly first: string;
  readonly second: string;
}

/** The payloads of two calls, by path or as text. */
export function PayloadDiff({ projectId, first, second }: PayloadDiffProps) {
  const [{ as = 'path' }, change] = useAddress();
  return (
    <section className={css.section} aria-labelledby="payloads">
      <div className={css.actions}>
        <h2 id="payloads">Payloads</h2>
        {[
          ['path', 'By path'],
          ['text', 'As text'],
        ].map(([value, label]) => (
          <button
            key={value}
            type="button"
            aria-pressed={as === value}
            onClick={() => change({ as: value })}
          >
            {label}
          </button>
        ))}
      </div>
      {MEMBERS.map(([member, label]) => (
        <MemberDiff
          key={member}
          {...{ projectId, first, second, member, label }}
          isText={as === 'text'}
        />
      ))}
    </section>
  );
}

interface MemberDiffProps extends PayloadDiffProps {
  readonly member: Member;
  readonly label: string;
  readonly isText: boolean;
}

function MemberDiff({ projectId, first, second, member, label, isText }: MemberDiffProps) {
  const a = useQuery(payloadQuery(projectId, first, member));
  const b = useQuery(payloadQuery(projectId, second, member));
  const error = a.error ?? b.error;
  if (error !== null) return <Problem error={error} />;
  if (a.data === undefined || b.data === undefined) return <p>{label}: loading…</p>;
  const isCut = !a.data.isWhole || !b.data.isWhole;
  return (
    <>
      {isCut && (
        <p className={css.notice}>{label}: only the first 512 kB of each call are compared.</p>
      )}
      {isText ? (
        <TextDiff label={label} before={indentJson(a.data.text)} after={indentJson(b.data.text)} />
      ) : (
        <JsonDiffTable label={label} before={a.data.text} after={b.data.text} />
      )}
    </>
  );
}
