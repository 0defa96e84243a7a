import { useQuery } from '@tanstack/react-query';

const ASKED_EVERY_MS = 60_000;

/**
 * Whether worker processes run, as `/readyz` says (docs/operations.md). Undefined where it says nothing: a load balancer may keep the path
 * to itself.
 */
export function useWorkers(): string | undefined {
  const { data } = useQuery({
    queryKey: ['workers'],
    queryFn: async ({ signal }) => {
      const reply = await fetch('/readyz', { signal });
      const body = (await reply.json().catch(() => null)) as { data?: Checked; error?: { details?: Checked } } | null;
      return body?.data?.checks?.workers ?? body?.error?.details?.checks?.workers ?? null;
    },
    refetchInterval: ASKED_EVERY_MS,
    staleTime: ASKED_EVERY_MS,
  });
  return data ?? undefined;
}

interface Checked {
  checks?: { workers?: string };
}
