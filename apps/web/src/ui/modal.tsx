import { useEffect, useRef, type ReactNode } from 'react';

interface ModalProps {
  readonly label: string;
  readonly onClose: () => void;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** The browser's own dialog: it traps the focus, closes on Escape and gives the focus back. */
export function Modal({ label, onClose, className, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      className={className}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
