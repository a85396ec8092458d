import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { formatTime } from '../format.js';
import { Confirm } from '../ui/confirm.js';
import { Empty, Problem, useNow } from '../ui/parts.js';
import { AlertForm } from './alert-form.js';
import { stateText, valueText } from './alert-text.js';
import {
  ALERTS_KEY,
  deleteAlert,
  historyQuery,
  testAlert,
  updateAlert,
  type Alert,
  type AlertEvent,
  type AlertRequest,
  type NewAlert,
} from './alerts-api.js';
import board from '../ui/board.module.css';
import css from './alerts.module.css';

interface DetailsProps {
  readonly projectId: string;
  readonly alert: Alert;
  readonly mayChange: boolean;
  readonly onSecret: (alert: NewAlert) => void;
  readonly onDeleted: () => void;
}

/** One rule: its history, and what an administrator can do with it. */
export function AlertDetails(props: DetailsProps) {
  const { projectId, alert, mayChange } = props;
  return (
    <section aria-label={`Alert ${alert.name}`} className={css.details}>
      <h2>{alert.name}</h2>
      {alert.message !== null && <p>{alert.message}</p>}
      {mayChange && <Actions key={alert.id} {...props} />}
      <History projectId={projectId} alert={alert} />
    </section>
  );
}

function Actions({ projectId, alert, onSecret, onDeleted }: DetailsProps) {
  const [isDeleting, setIsDeleting] = useState(false);
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: [ALERTS_KEY, projectId] });
  const test = useMutation({ mutationFn: () => testAlert(projectId, alert.id) });
  const change = useMutation({
    mutationFn: (request: AlertRequest) => updateAlert(projectId, alert.id, request),
    onSuccess: async (changed) => {
      onSecret(changed);
      await refresh();
    },
  });
  const remove = useMutation({
    mutationFn: () => deleteAlert(projectId, alert.id),
    onSuccess: async () => {
      onDeleted();
      await refresh();
    },
  });
  const problem = test.error ?? change.error ?? remove.error;
  return (
    <>
      <div className={css.actions}>
        <button type="button" onClick={() => change.mutate({ is_enabled: !alert.is_enabled })}>
          {alert.is_enabled ? 'Disable' : 'Enable'}
        </button>
        {alert.webhook !== null && (
          <>
            <button type="button" disabled={test.isPending} onClick={() => test.mutate()}>
              {test.isPending ? 'Waiting for the receiver…' : 'Test the webhook'}
            </button>
            <button type="button" onClick={() => change.mutate({ rotate_secret: true })}>
              New secret
            </button>
            <button type="button" onClick={() => change.mutate({ webhook_url: '' })}>
              Remove the webhook
            </button>
          </>
        )}
        <button type="button" onClick={() => setIsDeleting(true)}>
          Delete
        </button>
      </div>
      {problem !== null && <Problem error={problem} />}
      {test.data !== undefined && (
        <p role="status">
          {test.data.error ??
            `The receiver responded with ${test.data.status} after ${test.data.took_ms} ms.`}
        </p>
      )}
      <details>
        <summary>Change the rule</summary>
        <AlertForm alert={alert} isBusy={change.isPending} onSubmit={change.mutate} />
      </details>
      {isDeleting && (
        <Confirm
          label="Delete an alert"
          action="Delete the alert"
          onConfirm={() => remove.mutate()}
          onClose={() => setIsDeleting(false)}
        >
          Delete the alert {alert.name} and its history?
        </Confirm>
      )}
    </>
  );
}

function History({ projectId, alert }: Pick<DetailsProps, 'projectId' | 'alert'>) {
  const now = useNow(30_000);
  const { data, error } = useQuery(historyQuery(projectId, alert.id));
  if (error !== null) return <Problem error={error} />;
  if (data?.length === 0) return <Empty>The state has not changed yet.</Empty>;
  return (
    <div className={board.scroll} role="region" aria-label="History" tabIndex={0}>
      <table className={`${board.table} ${css.table}`}>
        <thead>
          <tr>
            {['Time', 'Change', 'Value', 'Webhook'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data?.map((event) => (
            <tr key={event.id}>
              <td title={event.at}>{formatTime(event.at, now)}</td>
              <th scope="row">
                {event.from === null ? '' : `${stateText(event.from)} → `}
                {stateText(event.to)}
              </th>
              <td>{event.message ?? valueText({ kind: alert.kind, value: event.value })}</td>
              <td>{deliveryText(event, now)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function deliveryText({ delivery }: AlertEvent, now: number): string {
  if (delivery === null) return 'not sent';
  const { status, attempts, next_at, error } = delivery;
  const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  if (status === 'delivered') return `delivered, ${tries}`;
  const next = next_at === null ? '' : `, next at ${formatTime(next_at, now)}`;
  return `${status}, ${tries}${next}${error === null ? '' : `: ${error}`}`;
}
