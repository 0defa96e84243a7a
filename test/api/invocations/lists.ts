import type { TestService } from '../../harness/service.ts';
import { plantLargeAction } from '../actions/lists.ts';
import { type CutMembers, idOf, type ListDeclarations } from '../http/list-declarations.ts';
import { invoke } from './support.ts';

const REFUSAL = 'the service makes them; a refused input is named by its paths, a hundred at most';
const WHOLE = { refusal: REFUSAL, error: REFUSAL, nextStep: REFUSAL, resolution: 'bounded by its input' };

/** An invocation of a large action, with a large preview, that waits for its approval. */
export async function plantLargeInvocation(service: TestService): Promise<{ ref: string }> {
  const ref = await plantLargeAction(service);
  idOf(await invoke(service, ref));
  return { ref };
}

const cut: CutMembers = {
  plant: plantLargeInvocation,
  members: [{ member: 'result', sql: 'UPDATE invocations SET result = $LARGE' }],
  record: ({ id }) => `/api/v2/actions/invocations/${id}`,
};

export const lists: ListDeclarations = {
  'invocations.list': { whole: WHOLE, cut },
  'actions.listInvocations': { whole: WHOLE, cut },
};
