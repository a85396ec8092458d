import { setTimeout as sleep } from 'node:timers/promises';

/** A tail waits for changes; more than the limit of a key are refused. */
export default {
  name: 'open-tails',
  what: 'calls/tail opened and abandoned, 40 at once',
  role: 'read',
  clients: 40,
  async attack({ url, key, project, signal }) {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(500)]);
    try {
      const response = await fetch(`${url}/calls/tail`, {
        method: 'POST',
        signal: ended,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ project_id: project }),
      });
      if (response.status === 200) await sleep(400, undefined, { signal: ended });
      await response.body?.cancel();
      return String(response.status);
    } catch {
      return 'left';
    }
  },
};
