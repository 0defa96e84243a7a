import { ServiceError } from '../../domain/errors.ts';
import type { UploadsOptions } from '../threads/uploads.ts';

/** Eight of the largest, 4 MiB. A slow sender keeps a body for as long as a request may take. */
const BYTES_A_WORKSPACE_MAX = 32 * 1_048_576;
const BYTES_MAX = 128 * 1_048_576;

/** Most of these bodies are small, and hundreds of them may come at once: their bytes are bounded, and not their number. */
export const LARGE_BODIES: UploadsOptions = {
  aWorkspaceMax: Infinity,
  bytesAWorkspaceMax: BYTES_A_WORKSPACE_MAX,
  bytesMax: BYTES_MAX,
  refusal: () =>
    new ServiceError('SERVICE_UNAVAILABLE', {
      message:
        'Too many large requests are being read. Nothing was stored. Send this one again when another is answered.',
    }),
};
