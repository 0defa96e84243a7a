import type { z } from 'zod';
import { previewSchema } from '../../../api/previews/schemas.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { TestService } from '../../harness/service.ts';
import type { CallResult } from '../harness/test-api.ts';
import { dataOf, type Caller } from '../invocations/support.ts';

export type Preview = z.infer<typeof previewSchema>;

export const previewIn = (reply: CallResult): Preview => dataOf(reply, previewSchema);

/** Makes a preview of this action; throws where it is refused. */
export async function preview(service: Caller, action: string, body: JsonObject = { input: {} }): Promise<Preview> {
  return previewIn(await service.post(`/api/v2/actions/${action}/previews`, body));
}

export async function readPreview(service: Caller, id: string): Promise<Preview> {
  return previewIn(await service.get(`/api/v2/actions/previews/${id}`));
}

/** Moves the end of a preview into the past, past the triggers. */
export async function expire(service: TestService, previewId: string): Promise<void> {
  await tamper(service, `UPDATE previews SET expires_at = now() - interval '1 second' WHERE id = '${previewId}'`);
}

/**
 * Runs one statement as the superuser with every trigger off: a change that nobody should be able to make, and that must still be
 * noticed.
 */
export async function tamper(service: Pick<TestService, 'database'>, sql: string): Promise<void> {
  await service.database.asOwner(`SET session_replication_role = 'replica'; ${sql}`);
}

export const blockOf = (made: Preview, type: Preview['blocks'][number]['type']): Preview['blocks'][number] => {
  const found = made.blocks.find((block) => block.type === type);
  if (found === undefined) throw new Error(`preview ${made.id} has no block ${type}`);
  return found;
};
