import { useState, type FormEvent } from 'react';
import { isOfCalls, KIND_TEXTS } from './alert-text.js';
import { KINDS, type Alert, type AlertKind, type AlertRequest } from './alerts-api.js';
import css from './alerts.module.css';

interface FormProps {
  /** The rule to change; absent to create one. */
  readonly alert?: Alert;
  readonly isBusy: boolean;
  readonly onSubmit: (request: AlertRequest) => void;
}

/** Creates a rule or changes one. The kind of a rule does not change. */
export function AlertForm({ alert, isBusy, onSubmit }: FormProps) {
  const [kind, setKind] = useState<AlertKind>(alert?.kind ?? 'cost');
  const { unit } = KIND_TEXTS[kind];
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit({
      ...(alert === undefined && { kind }),
      ...requestOf(kind, new FormData(event.currentTarget), alert !== undefined),
    });
  };
  return (
    <form onSubmit={submit} className={css.fields}>
      <label className={css.field}>
        Name
        <input name="name" required maxLength={128} defaultValue={alert?.name} />
      </label>
      {alert === undefined && (
        <label className={css.field}>
          Watch
          <select value={kind} onChange={({ target }) => setKind(target.value as AlertKind)}>
            {KINDS.map((one) => (
              <option key={one} value={one}>
                {KIND_TEXTS[one].label}
              </option>
            ))}
          </select>
        </label>
      )}
      {kind !== 'no_data' && (
        <label className={css.field}>
          Fires over{unit === '' ? '' : `, ${unit}`}
          <input
            name="threshold"
            type="number"
            min={0}
            max={1e12}
            step="any"
            required
            defaultValue={alert?.threshold ?? undefined}
          />
        </label>
      )}
      {kind === 'latency' && (
        <label className={css.field}>
          Percentile
          <select name="percentile" defaultValue={alert?.percentile ?? 95}>
            {[50, 75, 90, 95, 99].map((percentile) => (
              <option key={percentile}>{percentile}</option>
            ))}
          </select>
        </label>
      )}
      {isOfCalls(kind) && (
        <>
          <label className={css.field}>
            In the last minutes
            <input
              name="minutes"
              type="number"
              min={1}
              max={10_080}
              required
              defaultValue={alert?.window_minutes ?? 15}
            />
          </label>
          <label className={css.field}>
            Only of op, optional
            <input name="op" maxLength={512} defaultValue={alert?.op ?? ''} />
          </label>
        </>
      )}
      <label className={css.field}>
        {alert?.webhook ? `New webhook instead of ${alert.webhook}, optional` : 'Webhook, optional'}
        <input name="webhook" type="url" maxLength={2048} placeholder="https://" />
      </label>
      <button type="submit" disabled={isBusy}>
        {alert === undefined ? 'Create' : 'Save'}
      </button>
    </form>
  );
}

function requestOf(kind: AlertKind, form: FormData, isChange: boolean): AlertRequest {
  const text = (name: string) => ((form.get(name) as string | null) ?? '').trim();
  return {
    name: text('name'),
    ...(kind !== 'no_data' && { threshold: Number(text('threshold')) }),
    ...(kind === 'latency' && { percentile: Number(text('percentile')) }),
    ...(isOfCalls(kind) && {
      window_minutes: Number(text('minutes')),
      // An empty text removes the op of a rule.
      ...((isChange || text('op') !== '') && { op: text('op') }),
    }),
    ...(text('webhook') !== '' && { webhook_url: text('webhook') }),
  };
}
