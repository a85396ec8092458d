import { useEffect, useRef } from 'react';

type KeyHandlers = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const OFF = 'heddle.single-keys-off';

/** Keys without a modifier can be switched off, because speech input may press them by accident. */
export const singleKeys = {
  areOn: (): boolean => localStorage.getItem(OFF) === null,
  turn: (on: boolean): void => (on ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, '1')),
};

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null;

/** Handles single keys while no field and no dialog has the focus. */
export function useKeys(handlers: KeyHandlers): void {
  const current = useRef(handlers);
  useEffect(() => {
    current.current = handlers;
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event.target) || !singleKeys.areOn()) return;
      const handler = current.current[event.key];
      if (handler === undefined) return;
      event.preventDefault();
      handler(event);
    };
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
}
