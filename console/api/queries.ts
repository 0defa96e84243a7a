import {
  hashKey,
  type QueryKey,
  QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useState } from 'react';
import { useEnvironmentId } from '../components/location.ts';
import {
  ApiError,
  call,
  keepCsrfToken,
  type OptionsArgument,
  type CallParameters,
  type PathOf,
  type Reply,
  type Schema,
} from './client.ts';

const STALE_AFTER_MS = 5_000;
const TRIES_MAX = 2;
const PAGE_MAX = 100;

/** A refusal stays a refusal: only a reply that may differ the next time is asked for again. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_AFTER_MS,
        retry: (failures, error) => failures < TRIES_MAX && !(error instanceof ApiError && error.status < 500),
      },
    },
  });
}

/** What the first part of each query's key says: the stream names the same topics. */
export type Topic = string;

type ReadOptions<P extends PathOf<'get'>> = CallParameters<'get', P> & {
  enabled?: boolean;
  /** Keeps what was shown while another page or filter loads. */
  keepsPrevious?: boolean;
};

/** Reads in the environment of the address. */
export function useRead<P extends PathOf<'get'>>(
  topic: Topic,
  path: P,
  options: ReadOptions<P> = {},
): UseQueryResult<Reply<'get', P>> {
  return useReadIn(useEnvironmentId(), topic, path, options);
}

/** Reads in the named environment, or in none. */
export function useReadIn<P extends PathOf<'get'>>(
  environmentId: string | undefined,
  topic: Topic,
  path: P,
  { enabled = true, keepsPrevious = false, ...options }: ReadOptions<P> = {},
): UseQueryResult<Reply<'get', P>> {
  const place = [topic, environmentId ?? null, path, options.path ?? null];
  const read = useQuery<Reply<'get', P>>({
    queryKey: [...place, options.query ?? null],
    queryFn: ({ signal }) =>
      call('get', path, ...([{ ...options, environmentId, signal }] as OptionsArgument<'get', P>)),
    enabled,
    // Never those of another environment: they would stand under this one's name.
    ...(keepsPrevious
      ? {
          placeholderData: (previous: Reply<'get', P> | undefined, query: { queryKey: QueryKey } | undefined) =>
            query !== undefined && hashKey(query.queryKey.slice(0, -1)) === hashKey(place) ? previous : undefined,
        }
      : {}),
  });
  const error = useKeptError(read);
  return error === read.error ? read : ({ ...read, error } as typeof read);
}

/** The error of a read that failed, also while the read is made again: what was said stays until it ends. */
export function useKeptError(
  read: Pick<UseQueryResult, 'data' | 'error' | 'errorUpdateCount'> | undefined,
): Error | null {
  const [kept, keep] = useState<Error | null>(null);
  if (read === undefined) return null;
  if (read.error !== null && read.error !== kept) keep(read.error);
  return read.error ?? (read.data === undefined && read.errorUpdateCount > 0 ? kept : null);
}

let changedAt = 0;

/** When this person last changed something here: a list that was read since then shows all that it has. */
export function lastOwnChange(): number {
  return changedAt;
}

/** A change, after which everything that is shown is read again: what a change touches is the service's to know. */
export function useChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => {
      changedAt = Date.now();
      return queries.invalidateQueries();
    },
  });
}

export type SignInSession = Schema<'SignInSession'>;
export type Environment = Schema<'Environment'> & { workspaceId: string; workspaceName: string; role: string };

export const sessionQuery = {
  queryKey: ['session'],
  queryFn: async (): Promise<SignInSession> => {
    const { data } = await call('get', '/api/v2/auth/session');
    keepCsrfToken(data.csrfToken);
    return data;
  },
  staleTime: 60_000,
};

export function useSession(): UseQueryResult<SignInSession> {
  return useQuery(sessionQuery);
}

/** Every environment of every workspace that the person is a member of. */
export function useEnvironments(): UseQueryResult<Environment[]> {
  const workspaces = useSession().data?.workspaces;
  return useQuery({
    queryKey: ['environments', 'all', workspaces?.map(({ id }) => id) ?? null],
    enabled: workspaces !== undefined,
    queryFn: async () => {
      const lists = (workspaces ?? []).map(async ({ id, name, role }) => {
        const data = await environmentsOf(id);
        return data.map((environment) => ({ ...environment, workspaceId: id, workspaceName: name, role }));
      });
      return (await Promise.all(lists)).flat();
    },
  });
}

async function environmentsOf(workspaceId: string): Promise<Schema<'Environment'>[]> {
  const all: Schema<'Environment'>[] = [];
  for (let page = 1; ; page++) {
    const { data, pagination } = await call('get', '/api/v2/workspaces/{workspaceId}/environments', {
      path: { workspaceId },
      query: { page, limit: PAGE_MAX },
    });
    all.push(...data);
    if (!pagination.hasMore) return all;
  }
}

/** The environment of the address; undefined while the list loads, null where the person has no such one. */
export function useEnvironment(): Environment | null | undefined {
  const id = useEnvironmentId();
  const { data } = useEnvironments();
  if (data === undefined) return undefined;
  return data.find((environment) => environment.id === id) ?? null;
}
