import { ServiceError } from '../../domain/errors.ts';
import type { UploadsOptions } from '../threads/uploads.ts';

/** Direct and presigned ones together. More would let one workspace hold the connections and the disk of a process. */
const UPLOADS_A_WORKSPACE_MAX = 8;

/** Their bytes pass through and are not held, so only their number is bounded. */
export const FILE_UPLOADS: UploadsOptions = {
  aWorkspaceMax: UPLOADS_A_WORKSPACE_MAX,
  bytesMax: Infinity,
  refusal: () =>
    new ServiceError('SERVICE_UNAVAILABLE', {
      message: `This workspace uploads ${UPLOADS_A_WORKSPACE_MAX} files at once already. Send this one again when one of them is done.`,
    }),
};
