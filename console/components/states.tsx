import { type ReactNode, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { Code, Id } from './values.tsx';

/** What a screen shows when it has nothing to show yet, or is not allowed to. */

const SKELETON_ROWS = 8;

export function Loading() {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: SKELETON_ROWS }, (_, row) => (
        <div key={row} />
      ))}
    </div>
  );
}

export function Failure({ error, retry }: { error: unknown; retry?: () => unknown }) {
  if (error instanceof ApiError && error.status === 403) return <Forbidden error={error} />;
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Notice title="There is no such thing here" role="alert">
        <p>It was never in this environment, or it has been deleted. An id of another environment is not found here.</p>
        <RequestId error={error} />
      </Notice>
    );
  }
  const message = error instanceof Error ? error.message : String(error);
  return (
    <Notice title="This could not be loaded" role="alert">
      <p>{error instanceof ApiError ? message : `The service could not be reached: ${message}`}</p>
      <RequestId error={error} />
      {retry !== undefined && <TryAgain retry={retry} />}
    </Notice>
  );
}

function TryAgain({ retry }: { retry: () => unknown }) {
  const [isTrying, setTrying] = useState(false);
  const again = async (): Promise<void> => {
    setTrying(true);
    await retry();
    setTrying(false);
  };
  return (
    <p>
      <button type="button" disabled={isTrying} onClick={() => void again()}>
        {isTrying ? 'Trying …' : 'Try again'}
      </button>
    </p>
  );
}

function Forbidden({ error }: { error: ApiError }) {
  return (
    <Notice title="You may not see this" role="alert">
      <p>{error.message}</p>
      <p className="quiet">An owner of the workspace can change your role under Settings, Members.</p>
      <RequestId error={error} />
    </Notice>
  );
}

export function RequestId({ error }: { error: unknown }) {
  if (!(error instanceof ApiError) || error.requestId === null) return null;
  return (
    <p className="quiet">
      {error.code}, request <Id value={error.requestId} />
    </p>
  );
}

export function Notice({ title, role, children }: { title: string; role?: 'alert'; children?: ReactNode }) {
  return (
    <div className="notice" {...(role === undefined ? {} : { role })}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Nothing was ever here: the command that makes the first one. */
export function NothingYet({ what, hint, command }: { what: string; hint: string; command?: string }) {
  return (
    <Notice title={`No ${what} yet`}>
      <p>{hint}</p>
      {command !== undefined && <Code text={command} label={`the command for the first of the ${what}`} />}
    </Notice>
  );
}

export function NothingMatches({ clear }: { clear: () => void }) {
  return (
    <Notice title="Nothing matches these filters">
      <p>
        <button type="button" onClick={clear}>
          Clear the filters
        </button>
      </p>
    </Notice>
  );
}
