import type { ReactNode } from 'react';
import { Modal } from './modal.js';
import css from './confirm.module.css';

interface ConfirmProps {
  readonly label: string;
  /** What the button says that does it. */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  /** What happens and what stays. */
  readonly children: ReactNode;
}

/** Lets a user confirm or cancel what cannot be undone. */
export function Confirm({ label, action, onConfirm, onClose, children }: ConfirmProps) {
  return (
    <Modal label={label} onClose={onClose} className={css.dialog}>
      <p>{children}</p>
      <div className={css.actions}>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {action}
        </button>
      </div>
    </Modal>
  );
}
