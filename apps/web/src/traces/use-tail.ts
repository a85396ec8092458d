import { useEffect, useRef, useState } from 'react';
import { ApiError, send } from '../api/client.js';
import { EventParser, type StreamEvent } from '../api/events.js';
import type { CallsCondition } from './traces-query.js';

/** `off`: the server allows no more of them, or the page is in the background. `lost`: it was live and connects again. */
export type TailState = 'off' | 'connecting' | 'live' | 'lost';

interface TailedCalls {
  readonly calls: readonly { readonly id: string }[];
  readonly deleted: readonly string[];
}

const RETRY_MS = 500;
const RETRY_MAX_MS = 8_000;
/** A restart takes seconds, and the list shall be live at once after it. Only a longer outage is tried less often. */
const QUICK_RETRIES = 20;
const TOO_MANY = 429;

/** Follows the calls of a condition while the page is visible. A lost connection continues at the last event. */
export function useTail(
  condition: CallsCondition | undefined,
  onChange: (changed: readonly string[]) => void,
): TailState {
  const [state, setState] = useState<TailState>('off');
  const isVisible = useIsVisible();
  const listener = useRef(onChange);
  useEffect(() => {
    listener.current = onChange;
  });
  const body = condition === undefined ? undefined : JSON.stringify(condition);
  useEffect(() => {
    if (body === undefined || !isVisible) return;
    const abort = new AbortController();
    const changed = (ids: readonly string[]) => listener.current(ids);
    void follow(JSON.parse(body) as CallsCondition, changed, setState, abort.signal);
    return () => {
      abort.abort();
      setState('off');
    };
  }, [body, isVisible]);
  return state;
}

async function follow(
  condition: CallsCondition,
  onChange: (ids: readonly string[]) => void,
  onState: (state: TailState) => void,
  signal: AbortSignal,
): Promise<void> {
  let since: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    onState(since === undefined ? 'connecting' : 'lost');
    try {
      for await (const event of tail({ ...condition, ...(since && { since }) }, signal)) {
        since = event.id ?? since;
        failures = 0;
        onState('live');
        if (event.event === 'calls') onChange(idsOf(JSON.parse(event.data) as TailedCalls));
        if (event.event === 'open' || event.event === 'gap') onChange([]);
      }
    } catch (error) {
      if (signal.aborted) return;
      // What the list shows is still right, only not live.
      if (error instanceof ApiError && error.status < 500) {
        onState('off');
        if (error.status !== TOO_MANY) return;
        // Another page of the same key may be closed later.
        await sleep(RETRY_MAX_MS, signal);
        continue;
      }
    }
    await sleep(pauseAfter(failures++), signal);
  }
}

const pauseAfter = (failures: number): number =>
  Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** Math.max(0, failures - QUICK_RETRIES));

const idsOf = ({ calls, deleted }: TailedCalls) => [...calls.map(({ id }) => id), ...deleted];

async function* tail(body: object, signal: AbortSignal): AsyncGenerator<StreamEvent, void> {
  const response = await send('/calls/tail', { body: { ...body, columns: ['id'] }, signal });
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const parser = new EventParser();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = parser.push(line);
      if (event !== undefined) yield event;
    }
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
