import { type ReactNode, useEffect } from 'react';
import { Failure, Loading } from './states.tsx';
import { Foreign } from './values.tsx';

/** One heading, one primary action, the rest quiet. */
export function Screen({
  title,
  kicker,
  actions,
  children,
}: {
  title: string;
  kicker?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Console`;
  }, [title]);
  return (
    <>
      <div className="heading">
        <div>
          {kicker !== undefined && <p className="kicker">{kicker}</p>}
          <h1>
            <Foreign>{title}</Foreign>
          </h1>
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </div>
      {children}
    </>
  );
}

export function Section({ title, children, id }: { title: string; children: ReactNode; id?: string }) {
  return (
    <section className="section" {...(id === undefined ? {} : { id })}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

interface Loaded<T> {
  data: T | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** The three ends of a read. What was read stays when a later read fails, with a line that says so. */
export function When<T>({ read, children }: { read: Loaded<T>; children: (data: T) => ReactNode }) {
  const { data, error, refetch } = read;
  if (data === undefined) return error === null ? <Loading /> : <Failure error={error} retry={refetch} />;
  return (
    <>
      {error !== null && (
        <p className="stale" role="alert">
          This may be old: the last attempt to read it failed.{' '}
          <button type="button" onClick={() => void refetch()}>
            Try again
          </button>
        </p>
      )}
      {children(data)}
    </>
  );
}
