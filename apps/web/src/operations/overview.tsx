import { useQuery } from '@tanstack/react-query';
import { formatAge, formatBytes, formatCount, formatDuration } from '../format.js';
import { Problem, useNow } from '../ui/parts.js';
import { healthQuery, ledgerQuery, type ServerHealth } from './health-api.js';
import { LedgerSection } from './ledger.js';
import { timeLeft } from './time-left.js';
import board from '../ui/board.module.css';
import css from './operations.module.css';

/** Whether data flows, how much space is left, and whether anything is lost. */
export function Overview() {
  const health = useQuery(healthQuery);
  const ledger = useQuery(ledgerQuery);
  const server = health.data?.server ?? undefined;
  return (
    <div className={css.column}>
      {health.error !== null && (
        <Problem error={health.error} retry={() => void health.refetch()} />
      )}
      {server !== undefined && (
        <>
          <Queue server={server} />
          <Space server={server} />
          <Workers server={server} />
        </>
      )}
      {ledger.error !== null && (
        <Problem error={ledger.error} retry={() => void ledger.refetch()} />
      )}
      {ledger.data !== undefined && <LedgerSection ledger={ledger.data} />}
    </div>
  );
}

function Queue({ server: { lanes, rates } }: { readonly server: ServerHealth }) {
  return (
    <section aria-labelledby="queue" className={css.section}>
      <h2 id="queue">Queue</h2>
      <p>
        {rates.over_seconds === 0
          ? 'The rates are being measured.'
          : `${rates.received_per_second} facts received and ${rates.stored_per_second} stored per second, over ${rates.over_seconds} s.`}
      </p>
      <div className={board.scroll} role="region" aria-label="Lanes" tabIndex={0}>
        <table className={`${board.table} ${css.table}`}>
          <thead>
            <tr>
              <th scope="col">Lane</th>
              {['Waiting', 'Active', 'Delayed', 'Oldest'].map((name) => (
                <th key={name} scope="col" className={css.number}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lanes.map(({ name, waiting, active, delayed, oldest_seconds }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className={css.number}>{formatCount(waiting)}</td>
                <td className={css.number}>{formatCount(active)}</td>
                <td className={css.number}>{formatCount(delayed)}</td>
                <td className={css.number}>
                  {oldest_seconds === 0 ? '–' : formatDuration(oldest_seconds * 1000)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Space({ server: { disks, queue_memory: memory } }: { readonly server: ServerHealth }) {
  const rows = [
    {
      name: 'Memory of Redis',
      used: memory.used_bytes,
      limit: memory.refused_at_bytes,
      left: memory.seconds_left,
    },
    ...disks.map(({ name, free_bytes, total_bytes, reserve_bytes, seconds_left }) => ({
      name: `Disk of ${name}`,
      used: total_bytes - free_bytes,
      limit: total_bytes - reserve_bytes,
      left: seconds_left,
    })),
  ];
  return (
    <section aria-labelledby="space" className={css.section}>
      <h2 id="space">Space</h2>
      <div className={board.scroll} role="region" aria-label="Space" tabIndex={0}>
        <table className={`${board.table} ${css.table}`}>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col" className={css.number}>
                Used
              </th>
              <th scope="col" className={css.number}>
                Writes are refused at
              </th>
              <th scope="col">Time left</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, used, limit, left }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className={css.number}>{formatBytes(used)}</td>
                <td className={css.number}>{limit === null ? 'no limit' : formatBytes(limit)}</td>
                <td className={left < 3600 ? css.bad : ''}>{timeLeft(left)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Workers({ server: { workers } }: { readonly server: ServerHealth }) {
  const now = useNow(5_000);
  const versions = new Set(workers.map(({ version }) => version));
  return (
    <section aria-labelledby="workers" className={css.section}>
      <h2 id="workers">Workers: {workers.length}</h2>
      {workers.length === 0 && <p className={css.bad}>No worker runs, so nothing is stored.</p>}
      {versions.size > 1 && (
        <p className={css.bad}>Workers of {versions.size} versions run at the same time.</p>
      )}
      <ul className={css.plain}>
        {workers.map(({ id, host, version, started_at }) => (
          <li key={id}>
            {host}, version {version}, started {formatAge(started_at, now)}
          </li>
        ))}
      </ul>
    </section>
  );
}
