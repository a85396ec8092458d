import { useId, useState, type KeyboardEvent } from 'react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { formatCount, formatDuration, formatMoney, formatTime } from '../format.js';
import { labelOf, statusOf, type TraceTree } from '../trace/trace-tree.js';
import { useKeys } from '../ui/keys.js';
import { CopyButton, Problem, StatusBadge, useNow } from '../ui/parts.js';
import { ChatTab, useChat } from './chat-tab.js';
import { CodeTab } from './code-tab.js';
import { CostTab } from './cost-tab.js';
import { FeedbackTab, THUMBS_DOWN, THUMBS_UP } from './feedback-tab.js';
import { PayloadTab } from './payload-tab.js';
import { opRefOf, refHref } from './ref-link.js';
import { useCallFacts, type CallFacts, type Member } from './use-call.js';
import { useCallFeedback, type CallFeedback } from './use-feedback.js';
import css from './call-panel.module.css';

interface CallPanelProps {
  readonly projectId: string;
  readonly callId: string;
  readonly tree: TraceTree;
  readonly row: number;
}

type Tab = 'chat' | Member | 'feedback' | 'cost' | 'code';
const LABELS: Readonly<Record<Tab, string>> = {
  chat: 'Chat',
  inputs: 'Inputs',
  output: 'Output',
  attributes: 'Attributes',
  summary: 'Summary',
  cost: 'Cost',
  code: 'Code',
  feedback: 'Feedback',
};

export function CallPanel({ projectId, callId, tree, row }: CallPanelProps) {
  const facts = useCallFacts(projectId, callId);
  const chat = useChat(projectId, callId);
  const { tab: wanted } = useSearch({ strict: false });
  const isChat = chat !== undefined && chat.length > 0;
  const opName = tree.header.ops[tree.op[row]!] ?? '';
  const hasCost = facts.data?.summary?.weave?.costs !== undefined;
  const tabs: readonly Tab[] = [
    ...(isChat ? (['chat'] as const) : []),
    'inputs',
    'output',
    'attributes',
    'summary',
    ...(hasCost ? (['cost'] as const) : []),
    ...(opRefOf(opName) === undefined ? [] : (['code'] as const)),
    'feedback',
  ];
  const tab = tabs.find((one) => one === wanted) ?? tabs[0]!;
  const show = useShowTab();
  const hasFeedback = tree.feedback[row]! > 0;
  const feedback = useCallFeedback(projectId, callId, hasFeedback || tab === 'feedback');
  const noteWanted = useFeedbackKeys(feedback, () => show('feedback'));
  return (
    <section aria-label="Selected call" className={css.panel}>
      <div className={css.head}>
        <h2>{labelOf(tree, row)}</h2>
        <StatusBadge status={statusOf(tree, row)} />
        {refHref(opName) !== undefined && <a href={refHref(opName)}>op version</a>}
        <span className={css.space} />
        <CopyButton
          label="Copy link"
          text={() => `${location.origin}/${projectId}/r/call/${encodeURIComponent(callId)}`}
        />
        <CopyButton label="Copy id" text={callId} />
      </div>
      <Figures tree={tree} row={row} facts={facts.data ?? undefined} />
      {facts.error !== null && <Problem error={facts.error} />}
      {feedback.undo !== undefined && (
        <p role="status" className={css.undo}>
          {feedback.undo.text}
          <button type="button" aria-keyshortcuts="u" onClick={feedback.undo.run}>
            Undo
          </button>
        </p>
      )}
      {facts.data?.exception && <Exception text={facts.data.exception} />}
      <Tabs tabs={tabs} tab={tab} show={show}>
        {tab === 'chat' && <ChatTab projectId={projectId} messages={chat ?? []} />}
        {tab === 'feedback' && (
          <FeedbackTab
            projectId={projectId}
            opName={opName}
            feedback={feedback}
            noteWanted={noteWanted}
          />
        )}
        {tab === 'cost' && <CostTab costs={facts.data?.summary?.weave?.costs ?? {}} />}
        {tab === 'code' && <CodeTab opRef={opName} />}
        {isMember(tab) && (
          <PayloadTab key={tab} projectId={projectId} callId={callId} member={tab} />
        )}
      </Tabs>
    </section>
  );
}

/** Feedback by keys, whatever part of the call is shown. Returns how often a note was wanted. */
function useFeedbackKeys(feedback: CallFeedback, showFeedback: () => void): number {
  const [noteWanted, setNoteWanted] = useState(0);
  const { isWriter, react, undo } = feedback;
  useKeys(
    isWriter
      ? {
          '+': () => react(THUMBS_UP),
          '-': () => react(THUMBS_DOWN),
          u: () => undo?.run(),
          m: () => {
            showFeedback();
            setNoteWanted(noteWanted + 1);
          },
        }
      : {},
  );
  return noteWanted;
}

function useShowTab(): (tab: Tab) => void {
  const navigate = useNavigate();
  return (tab) =>
    void navigate({
      to: '.',
      search: ({ path: _, msg: __, ...search }: Record<string, string | undefined>) => ({
        ...search,
        tab,
      }),
      replace: true,
    } as Parameters<typeof navigate>[0]);
}

const isMember = (tab: Tab): tab is Member =>
  tab === 'inputs' || tab === 'output' || tab === 'attributes' || tab === 'summary';

interface FiguresProps {
  readonly tree: TraceTree;
  readonly row: number;
  readonly facts: CallFacts | undefined;
}

function Figures({ tree, row, facts }: FiguresProps) {
  const now = useNow(1_000);
  const duration = tree.duration[row]!;
  const cost = tree.cost[row]!;
  const startedMs = Date.parse(tree.header.started_at) + tree.start[row]! / 1000;
  const ms = duration < 0 ? Math.max(0, now - startedMs) : duration / 1000;
  const rows: readonly (readonly [string, string | null | undefined])[] = [
    ['Latency', formatDuration(ms)],
    ['Self', tree.size[row]! > 1 && duration >= 0 ? formatDuration(tree.self[row]! / 1000) : null],
    ['Tokens', tree.tokens[row]! > 0 ? formatCount(tree.tokens[row]!) : null],
    ['Cost', Number.isNaN(cost) ? null : formatMoney(cost)],
    ['Started', formatTime(new Date(startedMs).toISOString(), now)],
    ['User', facts?.wb_user_id],
    ['Thread', facts?.thread_id],
    ['Run', facts?.wb_run_id],
  ];
  return (
    <dl className={css.figures}>
      {rows
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function Exception({ text }: { readonly text: string }) {
  const [first = '', ...rest] = text.trim().split('\n');
  const last = rest.at(-1);
  return (
    <details className={css.exception} open={rest.length <= 12}>
      <summary>{last !== undefined && first.startsWith('Traceback') ? last : first}</summary>
      {rest.length > 0 && (
        <>
          <pre tabIndex={0}>{text}</pre>
          <CopyButton text={text} />
        </>
      )}
    </details>
  );
}

interface TabsProps {
  readonly tabs: readonly Tab[];
  readonly tab: Tab;
  readonly show: (tab: Tab) => void;
  readonly children: React.ReactNode;
}

function Tabs({ tabs, tab, show, children }: TabsProps) {
  const id = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length]!;
    show(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <>
      <div role="tablist" aria-label="Parts of the call" className={css.tabs} onKeyDown={onKeyDown}>
        {tabs.map((one) => (
          <button
            key={one}
            id={`${id}-${one}`}
            type="button"
            role="tab"
            aria-selected={one === tab}
            aria-controls={`${id}-panel`}
            tabIndex={one === tab ? 0 : -1}
            onClick={() => show(one)}
          >
            {LABELS[one]}
          </button>
        ))}
      </div>
      <div
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-${tab}`}
        tabIndex={0}
        className={css.content}
      >
        {children}
      </div>
    </>
  );
}
