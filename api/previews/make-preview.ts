import type { EnvironmentTransaction } from '../../db/client.ts';
import { requirePreviewRoom } from '../../db/previews/changes.ts';
import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import type { EnvironmentHandlerContext } from '../http/route-forms.ts';
import { type InputAnswers, withInputAnswers } from '../json-schema/input-answers.ts';
import { withCompiledPolicies } from '../../domain/approval-policies/with-compiled-policies.ts';
import { composePreview, judgePreviewed, requirePreviewable } from './compose-preview.ts';
import type { PreviewRequest } from './preview-request.ts';
import { draftPreview, readProvider } from './read-provider.ts';
import { type ActionPreview, presentPreview } from './schemas.ts';

export type AskedPreview = Omit<PreviewRequest, 'id' | 'invocationId' | 'effectId'>;

type Asking = Pick<
  EnvironmentHandlerContext<unknown, unknown, unknown>,
  'deps' | 'caller' | 'actor' | 'transaction' | 'recordReply'
>;

type Reply = { status: 201; data: ActionPreview };

/**
 * Makes a preview, in one transaction when nothing has to be read. Otherwise commits a draft, has a worker read the provider, and makes
 * preview and reply in a second transaction. A kill in between leaves a draft that the next one sweeps. `ask` runs in each transaction: its
 * answer may change in between.
 */
export async function makePreview(
  { deps, caller, actor, transaction, recordReply }: Asking,
  ask: (tx: EnvironmentTransaction) => Promise<AskedPreview>,
): Promise<Reply> {
  const ids = { id: newId('preview'), invocationId: newId('invocation'), effectId: newId('effect') };
  const by = { tenant: caller.tenant, actor };
  const inTransaction = <Result>(
    work: (tx: EnvironmentTransaction, answers: InputAnswers) => Promise<Result>,
  ): Promise<Result> =>
    withCompiledPolicies(() =>
      withInputAnswers(deps.schemas, caller.tenant.workspaceId, (answers) => transaction((tx) => work(tx, answers))),
    );
  const first = await inTransaction(async (tx, answers) => {
    const asked = { ...(await ask(tx)), ...ids };
    const previewable = await requirePreviewable(tx, asked, { answers, credential: caller });
    const request = { ...asked, input: previewable.input };
    if (previewable.descriptor.inspects) {
      // Both checks are repeated at the end; here they avoid a useless read.
      await requirePreviewRoom(tx);
      await judgePreviewed(tx, previewable, request, { actor, observation: null, now: new Date() });
      await draftPreview(tx, previewable, request);
      return { request, drafted: previewable.action };
    }
    const preview = await composePreview(tx, previewable, request, by, null);
    return { reply: await recordReply(tx, { status: 201, data: presentPreview(preview) } satisfies Reply) };
  });
  if ('reply' in first) return first.reply;
  const observation = await readProvider(deps, caller, first.request, first.drafted.name);
  return inTransaction(async (tx, answers) => {
    const asked = { ...(await ask(tx)), ...ids };
    const previewable = await requirePreviewable(tx, asked, { answers, credential: caller });
    const request = { ...asked, input: previewable.input };
    if (previewable.action.currentVersion.id !== first.drafted.currentVersion.id) {
      throw new ServiceError('CONFLICT', {
        message: `Action ${previewable.action.name} was changed while its provider was read. Ask for the preview again.`,
      });
    }
    const preview = await composePreview(tx, previewable, request, by, observation);
    return recordReply(tx, { status: 201, data: presentPreview(preview) } satisfies Reply);
  });
}
