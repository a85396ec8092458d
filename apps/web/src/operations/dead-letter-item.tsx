import { useId, useState, type Ref } from 'react';
import { saveFile } from '../ui/save-file.js';
import {
  readContent,
  type Correction,
  type DeadLetter,
  type DeadLetterWithItem,
} from './dead-letters-api.js';
import { indentJson } from './indent-json.js';
import css from './operations.module.css';

/** What can be done with a dead letter, as it is or corrected. */
interface Actions {
  readonly isBusy: boolean;
  readonly check: (correction?: Correction) => void;
  readonly replay: (correction?: Correction) => void;
  readonly drop: () => void;
}

export interface ItemProps {
  readonly deadLetter: DeadLetterWithItem;
  readonly actions: Actions;
}

/** An item that is shown as a whole. */
export function WholeItem({ deadLetter, actions }: ItemProps) {
  const id = useId();
  const original = indentJson(deadLetter.item);
  const [text, setText] = useState(original);
  const correction = text === original ? undefined : { item: text };
  return (
    <>
      <label htmlFor={id}>Item</label>
      <ItemText
        id={id}
        value={text}
        readOnly={deadLetter.state === 'replayed'}
        onChange={setText}
        onCheck={() => actions.check(correction)}
      />
      <ItemActions
        deadLetter={deadLetter}
        actions={actions}
        correction={correction}
        onUndo={() => setText(original)}
      />
    </>
  );
}

interface ItemTextProps {
  readonly id: string;
  readonly value: string;
  readonly readOnly: boolean;
  readonly onChange: (text: string) => void;
  readonly onCheck: () => void;
  readonly area?: Ref<HTMLTextAreaElement>;
}

export function ItemText({ id, value, readOnly, onChange, onCheck, area }: ItemTextProps) {
  return (
    <textarea
      id={id}
      ref={area}
      className={css.item}
      rows={18}
      spellCheck={false}
      readOnly={readOnly}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onCheck();
      }}
    />
  );
}

interface ItemActionsProps {
  readonly deadLetter: DeadLetter;
  readonly actions: Actions;
  readonly correction: Correction | undefined;
  readonly onUndo: () => void;
}

export function ItemActions({ deadLetter, actions, correction, onUndo }: ItemActionsProps) {
  const { id, state } = deadLetter;
  const { check, replay, drop, isBusy } = actions;
  const save = async () => saveFile(`dead-letter-${id}.json`, await readContent(id));
  return (
    <div className={css.actions}>
      {state !== 'replayed' && (
        <>
          <button
            type="button"
            disabled={isBusy}
            aria-keyshortcuts="Control+Enter Meta+Enter"
            onClick={() => check(correction)}
          >
            Check
          </button>
          <button type="button" disabled={isBusy} onClick={() => replay(correction)}>
            {correction === undefined ? 'Replay' : 'Replay corrected'}
          </button>
        </>
      )}
      {state === 'open' && (
        <button type="button" disabled={isBusy} onClick={drop}>
          Drop
        </button>
      )}
      {correction !== undefined && (
        <button type="button" onClick={onUndo}>
          Undo changes
        </button>
      )}
      <button type="button" onClick={() => void save()}>
        Download
      </button>
    </div>
  );
}
