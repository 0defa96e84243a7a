import { ServiceError } from '../../domain/errors.ts';
import type { UploadsOptions } from '../threads/uploads.ts';

/** Direct and presigned together, so that one workspace cannot use up a process's connections and disk. */
const UPLOADS_A_WORKSPACE_MAX = 8;

/** Bytes pass through unbuffered, so only the number is bounded. */
export const FILE_UPLOADS: UploadsOptions = {
  aWorkspaceMax: UPLOADS_A_WORKSPACE_MAX,
  bytesMax: Infinity,
  refusal: () =>
    new ServiceError('SERVICE_UNAVAILABLE', {
      message: `This workspace uploads ${UPLOADS_A_WORKSPACE_MAX} files at once already. Send this one again when one of them is done.`,
    }),
};
