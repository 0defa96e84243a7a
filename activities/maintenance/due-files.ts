import { forgetFile } from '../../db/files/files.ts';
import { type DueFile, expireFile, findDueFiles, settleFile } from '../../db/files/directory.ts';
import type { SweepArea, SweepDependencies } from './sweep-rows.ts';

/**
 * Removes bytes of uploads that nobody confirmed, of direct uploads whose process died, of deleted files, and late
 * bytes of a ready file. The bytes go before their row: after a crash between the two the row is still due.
 */
export const dueFiles: SweepArea<DueFile, 'files'> = {
  find: (deps, page) => findDueFiles(deps.db, page),
  idOf: ({ fileId }) => fileId,
  mend: async (deps, files) => {
    for (const file of files) await mendFile(deps, file);
  },
  batchSize: 1,
  atOnce: 8, // a store that does not answer costs each its time-out
};

async function mendFile({ db, files }: SweepDependencies<'files'>, file: DueFile): Promise<void> {
  const { fileId, environmentId, workspaceId } = file;
  const tenant = { environmentId, workspaceId };
  const status = await db.withEnvironment(tenant, (tx) => expireFile(tx, fileId));
  if (status === 'deleted') {
    await files.remove(file);
    await db.withEnvironment(tenant, (tx) => forgetFile(tx, fileId));
  } else if (status === 'ready') {
    await files.removeIncoming(file);
    await db.withEnvironment(tenant, (tx) => settleFile(tx, fileId));
  }
}
