import type { ReactNode } from 'react';
import { type Environment, useEnvironment, useEnvironments } from '../api/queries.ts';
import { Failure, Loading, Notice } from './states.tsx';

/** The screens of a workspace show that of the environment in the address: `?e=`, or the one looked at last. */
export function InWorkspace({ children }: { children: (environment: Environment) => ReactNode }) {
  const { data, error, refetch } = useEnvironments();
  const chosen = useEnvironment();
  const environment = chosen ?? data?.[0];
  if (environment !== undefined) return children(environment);
  if (error !== null) return <Failure error={error} retry={refetch} />;
  if (data === undefined) return <Loading />;
  return (
    <Notice title="You are in no workspace">
      <p>Ask an owner to invite you.</p>
    </Notice>
  );
}
