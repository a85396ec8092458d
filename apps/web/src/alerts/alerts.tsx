import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { formatAge } from '../format.js';
import { useSession } from '../shell/session-context.js';
import { CopyButton, Empty, Problem, useNow, useTitle } from '../ui/parts.js';
import { AlertDetails } from './alert-details.js';
import { AlertForm } from './alert-form.js';
import { conditionText, stateText, valueText } from './alert-text.js';
import {
  ALERTS_KEY,
  alertsQuery,
  createAlert,
  type Alert,
  type AlertRequest,
  type NewAlert,
} from './alerts-api.js';
import board from '../ui/board.module.css';
import css from './alerts.module.css';

const FROM = '/$entity/$project/weave/alerts';

/** The alert rules of a project with their states. */
export function Alerts() {
  const { entity, project } = useParams({ from: FROM });
  const projectId = `${entity}/${project}`;
  useTitle(`Alerts of ${projectId}`);
  const { alert: selected } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const { role } = useSession();
  const mayChange = role === 'admin';
  const { data, error, refetch } = useQuery(alertsQuery(projectId));
  const [created, setCreated] = useState<NewAlert | undefined>();
  const shown = data?.find(({ id }) => id === selected);
  const showSecret = (alert: NewAlert) => setCreated(alert.secret === null ? undefined : alert);
  return (
    <main id="main" className={css.alerts}>
      <h1>Alerts</h1>
      {mayChange && <NewRule projectId={projectId} onCreated={showSecret} />}
      {created !== undefined && <Secret alert={created} onDone={() => setCreated(undefined)} />}
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Empty>Loading…</Empty>}
      {data?.length === 0 && <Empty>This project has no alerts.</Empty>}
      {data !== undefined && data.length > 0 && <AlertTable alerts={data} selected={selected} />}
      {data !== undefined && selected !== undefined && shown === undefined && (
        <Empty>This alert does not exist any more.</Empty>
      )}
      {shown !== undefined && (
        <AlertDetails
          projectId={projectId}
          alert={shown}
          mayChange={mayChange}
          onSecret={showSecret}
          onDeleted={() => void navigate({ search: {} })}
        />
      )}
      <p className={css.muted}>
        Each rule is evaluated once a minute over the same data as the pages of costs and
        statistics.
      </p>
    </main>
  );
}

interface NewRuleProps {
  readonly projectId: string;
  readonly onCreated: (alert: NewAlert) => void;
}

function NewRule({ projectId, onCreated }: NewRuleProps) {
  const queries = useQueryClient();
  const [count, setCount] = useState(0);
  const { mutate, error, isPending } = useMutation({
    mutationFn: (request: AlertRequest) => createAlert(projectId, request),
    onSuccess: async (alert) => {
      onCreated(alert);
      setCount((before) => before + 1);
      await queries.invalidateQueries({ queryKey: [ALERTS_KEY, projectId] });
    },
  });
  return (
    // A new key closes the form and empties it.
    <details key={count} className={css.form}>
      <summary>Create an alert</summary>
      <AlertForm isBusy={isPending} onSubmit={mutate} />
      {error !== null && <Problem error={error} />}
    </details>
  );
}

function Secret({ alert, onDone }: { readonly alert: NewAlert; readonly onDone: () => void }) {
  return (
    <div role="status" className={css.created}>
      <p>
        The secret of the webhook of {alert.name}. It is shown once: <code>{alert.secret}</code>
      </p>
      <CopyButton text={alert.secret ?? ''} label="Copy secret" />
      <button type="button" onClick={onDone}>
        Done
      </button>
    </div>
  );
}

interface TableProps {
  readonly alerts: readonly Alert[];
  readonly selected: string | undefined;
}

function AlertTable({ alerts, selected }: TableProps) {
  const now = useNow(5_000);
  return (
    <div className={board.scroll} role="region" aria-label="Alerts" tabIndex={0}>
      <table className={`${board.table} ${css.table}`}>
        <thead>
          <tr>
            {['Alert', 'State', 'Value', 'Fires on', 'Evaluated', 'Webhook'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {alerts.map((alert) => (
            <tr key={alert.id}>
              <th scope="row">
                <Link
                  from={FROM}
                  search={alert.id === selected ? {} : { alert: alert.id }}
                  aria-current={alert.id === selected ? 'true' : undefined}
                >
                  {alert.name}
                </Link>
              </th>
              <td className={css[alert.is_enabled ? (alert.state ?? 'none') : 'none']}>
                {alert.is_enabled ? stateText(alert.state) : 'disabled'}
                {alert.since !== null && alert.is_enabled && (
                  <span className={css.muted}> {formatAge(alert.since, now)}</span>
                )}
              </td>
              <td>{valueText(alert)}</td>
              <td>{conditionText(alert)}</td>
              <td>{alert.evaluated_at === null ? '–' : formatAge(alert.evaluated_at, now)}</td>
              <td>{alert.webhook ?? 'none'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
