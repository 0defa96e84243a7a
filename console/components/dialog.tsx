import { type ReactNode, type SubmitEvent, useId, useRef, useState } from 'react';
import { useChange } from '../api/queries.ts';
import { type Field, FieldInput, type FieldValues, initialValues } from './fields.tsx';
import { RequestId } from './states.tsx';
import { ApiError } from '../api/client.ts';
import { TypedName } from './typed-name.tsx';

export interface FormDialogProps {
  /** The words of the button that opens it. */
  open: string;
  title: string;
  /** What it does, and what it cannot undo. */
  children?: ReactNode;
  fields?: readonly Field[];
  /** The words of the button that does it; by default those that open it. */
  submit?: string;
  tone?: 'primary' | 'danger';
  /** Has to be typed: the name of a protected environment, or of what is destroyed. */
  typed?: string | undefined;
  /** The same key for each attempt of one opening, so that a repeated click is the same change. */
  change: (values: FieldValues, idempotencyKey: string) => Promise<unknown>;
  /** What is shown once, such as a new key. Without it the dialog closes. */
  result?: (reply: unknown) => ReactNode;
}

/** A change as a dialog of the platform: it keeps the focus, closes with Esc, and gives the focus back. */
export function FormDialog(props: FormDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [opening, setOpening] = useState(0);
  const show = (): void => {
    setOpening((count) => count + 1);
    setOpen(true);
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" className={props.tone ?? ''} onClick={show}>
        {props.open}
      </button>
      <dialog ref={dialog} aria-label={props.title} onClose={() => setOpen(false)}>
        {isOpen && <Form key={opening} {...props} close={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

const NO_FIELDS: readonly Field[] = [];

function Form({
  title,
  children,
  fields = NO_FIELDS,
  open,
  submit = open,
  tone,
  typed,
  change,
  result,
  close,
}: FormDialogProps & { close: () => void }) {
  const [values, setValues] = useState<FieldValues>(() => initialValues(fields));
  const [confirmed, setConfirmed] = useState('');
  const [key] = useState(() => crypto.randomUUID());
  const [problem, setProblem] = useState<string | null>(null);
  const { mutate, isPending, error, data, isSuccess } = useChange((now: FieldValues) => change(now, key));
  const headingId = useId();
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    if (typed !== undefined && confirmed !== typed) return setProblem(`Type ${typed} to go on.`);
    setProblem(null);
    mutate(values, { onSuccess: () => result === undefined && close() });
  };
  if (isSuccess && result !== undefined)
    return (
      <Result title={title} close={close}>
        {result(data)}
      </Result>
    );
  return (
    <form onSubmit={send} aria-labelledby={headingId}>
      <h2 id={headingId}>{title}</h2>
      {children}
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={values[field.name] ?? ''}
          change={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
        />
      ))}
      {typed !== undefined && <TypedName name={typed} to="go on" value={confirmed} change={setConfirmed} required />}
      <Problem problem={problem} error={error} />
      <div className="buttons">
        <button type="submit" className={tone === 'danger' ? 'danger' : 'primary'} disabled={isPending}>
          {isPending ? 'Sending …' : submit}
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}

function Result({ title, close, children }: { title: string; close: () => void; children: ReactNode }) {
  return (
    <div>
      <h2>{title}</h2>
      {children}
      <div className="buttons">
        <button type="button" className="primary" onClick={close}>
          Done
        </button>
      </div>
    </div>
  );
}

/** Why a change was refused, with each field that is wrong. */
export function Problem({ problem = null, error }: { problem?: string | null; error: Error | null }) {
  if (problem === null && error === null) return null;
  const issues = error instanceof ApiError ? error.issues : [];
  return (
    <div className="problem" role="alert">
      <p>{problem ?? error?.message}</p>
      {issues.length > 0 && (
        <ul>
          {issues.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{path}</code>: {message}
            </li>
          ))}
        </ul>
      )}
      {problem === null && <RequestId error={error} />}
    </div>
  );
}
