import { useNavigate } from '@tanstack/react-router';
import { type SubmitEvent, useDeferredValue, useRef, useState } from 'react';
import { ApiError, call } from '../api/client.ts';
import { useChange, useRead } from '../api/queries.ts';
import { useEnvironmentId, useInEnvironment } from './location.ts';
import { zone } from './clock.tsx';
import { RequestId } from './states.tsx';
import { Time } from './values.tsx';

/** A form of its own: the next times are shown while the expression is typed. */
export function NewSchedule() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const show = (): void => {
    setOpen(true);
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" className="primary" onClick={show}>
        New schedule
      </button>
      <dialog ref={dialog} aria-label="New schedule" onClose={() => setOpen(false)}>
        {isOpen && <Form close={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

interface Typed {
  name: string;
  cron: string;
  timezone: string;
  url: string;
}

const LABELS: Readonly<Record<keyof Typed, string>> = {
  name: 'Name',
  cron: 'When, as a cron expression',
  timezone: 'Time zone',
  url: 'Destination, a URL',
};

function Form({ close }: { close: () => void }) {
  const environmentId = useEnvironmentId();
  const inEnvironment = useInEnvironment();
  const navigate = useNavigate();
  const [key] = useState(() => crypto.randomUUID());
  const [typed, setTyped] = useState<Typed>({
    name: '',
    cron: '0 9 * * 1-5',
    timezone: zone(),
    url: '',
  });
  const { mutate, error, isPending } = useChange(async ({ name, cron, timezone, url }: Typed) => {
    const body = { cron, timezone, destination: { url }, ...(name === '' ? {} : { name }) };
    const { data } = await call('post', '/api/v2/schedules', { body, environmentId, idempotencyKey: key });
    close();
    await navigate({ to: inEnvironment(`/schedules/${data.id}`) });
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    mutate(typed);
  };
  return (
    <form onSubmit={submit}>
      <h2>New schedule</h2>
      {(Object.keys(LABELS) as (keyof Typed)[]).map((name) => (
        <label key={name}>
          <span>{LABELS[name]}</span>
          <input
            value={typed[name]}
            required={name !== 'name'}
            autoComplete="off"
            onChange={({ target }) => setTyped((before) => ({ ...before, [name]: target.value }))}
          />
        </label>
      ))}
      <Times cron={typed.cron} timezone={typed.timezone} />
      {error !== null && (
        <div className="problem" role="alert">
          <p>{error.message}</p>
          <RequestId error={error} />
        </div>
      )}
      <div className="buttons">
        <button type="submit" className="primary" disabled={isPending}>
          Create
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}

const SHOWN_MAX = 5;

function Times({ cron, timezone }: { cron: string; timezone: string }) {
  const query = { cron: useDeferredValue(cron), timezone: useDeferredValue(timezone) };
  const { data, error } = useRead('schedules', '/api/v2/schedules/preview', {
    query,
    enabled: query.cron.trim() !== '',
  });
  return (
    <div className="preview" role="status">
      <p className="quiet">It would fire</p>
      {error instanceof ApiError && <p className="problem-text">{error.issues[0]?.message ?? error.message}</p>}
      <ul className="plain">
        {(data?.data.times ?? []).slice(0, SHOWN_MAX).map((time) => (
          <li key={time}>
            <Time at={time} distance />
          </li>
        ))}
      </ul>
    </div>
  );
}
