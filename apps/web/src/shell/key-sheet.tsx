import { useState } from 'react';
import { singleKeys } from '../ui/keys.js';
import { Modal } from '../ui/modal.js';
import css from './shell.module.css';

const KEYS: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['Ctrl', 'K'], 'Go to a project or start an action (⌘ K on a Mac)'],
  [['/'], 'Edit the filter, or find in the trace'],
  [['j', 'k'], 'Next and previous row; ↓ ↑ do the same'],
  [['Enter'], 'Open the row'],
  [['←', '→'], 'Fold and unfold a call'],
  [['Home', 'End'], 'First and last row'],
  [['e', 'E'], 'Next and previous error'],
  [['n', 'N'], 'Next and previous match'],
  [['f'], 'Fold or unfold every call of this op; Shift + ← in the tree does the same'],
  [['w', 's'], 'Zoom into the time of a trace, and out'],
  [['a', 'd'], 'Move to an earlier and a later time'],
  [['+', '-'], 'Thumbs up and down'],
  [['m'], 'Write a note'],
  [['u'], 'Undo the last feedback'],
  [['1', '9'], 'In an annotation queue: choose a value'],
  [['c', 's'], 'In an annotation queue: complete the item, or skip it'],
  [['y'], 'Copy the link'],
  [['.'], 'Follow new calls, or stop'],
  [['Esc'], 'Back to the list'],
  [['?'], 'This sheet'],
];

export function KeySheet({ onClose }: { readonly onClose: () => void }) {
  const [areOn, setAreOn] = useState(singleKeys.areOn);
  const toggle = (on: boolean) => {
    singleKeys.turn(on);
    setAreOn(on);
  };
  return (
    <Modal label="Keyboard shortcuts" onClose={onClose} className={css.dialog}>
      <h2>Keyboard shortcuts</h2>
      <dl className={css.keys}>
        {KEYS.map(([keys, what]) => (
          <div key={what} style={{ display: 'contents' }}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <div className={css.foot}>
        <label>
          <input
            type="checkbox"
            checked={areOn}
            onChange={(event) => toggle(event.target.checked)}
          />{' '}
          Shortcuts of a single key
        </label>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Modal>
  );
}
