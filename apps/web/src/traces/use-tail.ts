import { useEffect, useRef, useState } from 'react';
import { readNewest } from '../api/interim.js';
import type { CallsCondition } from './traces-query.js';

/** `off`: nothing is followed, or the page is in the background. */
export type TailState = 'off' | 'live';

const CHECK_MS = 1_500;

/** Notices new calls of a condition while the page is visible: the newest one is another than before, or one runs. */
export function useTail(condition: CallsCondition | undefined, onChange: () => void): TailState {
  const isVisible = useIsVisible();
  const listener = useRef(onChange);
  useEffect(() => {
    listener.current = onChange;
  });
  const body = condition === undefined ? undefined : JSON.stringify(condition);
  const isFollowing = body !== undefined && isVisible;
  useEffect(() => {
    if (!isFollowing) return;
    const abort = new AbortController();
    void follow(JSON.parse(body) as CallsCondition, () => listener.current(), abort.signal);
    return () => abort.abort();
  }, [body, isFollowing]);
  return isFollowing ? 'live' : 'off';
}

async function follow(
  condition: CallsCondition,
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> {
  let before: string | undefined;
  while (!signal.aborted) {
    try {
      const newest = await readNewest(condition, signal);
      // Before the first check, a call may have arrived after the list was read.
      if (newest !== before) onChange();
      before = newest;
    } catch (error) {
      // A server that restarts is reached again at the next check; what the list shows is still right.
      if (signal.aborted || !(error instanceof Error)) return;
    }
    await sleep(CHECK_MS, signal);
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function useIsVisible(): boolean {
  const [isVisible, setIsVisible] = useState(document.visibilityState === 'visible');
  useEffect(() => {
    const listener = () => setIsVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', listener);
    return () => document.removeEventListener('visibilitychange', listener);
  }, []);
  return isVisible;
}
