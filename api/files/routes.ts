import type { AnyRoute } from '../http/define-route.ts';
import { confirmFileRoute } from './confirm-file.ts';
import { deleteFileRoute } from './delete-file.ts';
import { downloadFileRoute } from './download-file.ts';
import { presignFileRoute } from './presign-file.ts';
import { getFileRoute, listFilesRoute } from './read-files.ts';
import { receiveContentRoute } from './receive-content.ts';
import { uploadFileRoute } from './upload-file.ts';

export const fileRoutes: AnyRoute[] = [
  listFilesRoute,
  uploadFileRoute,
  presignFileRoute,
  receiveContentRoute,
  confirmFileRoute,
  getFileRoute,
  downloadFileRoute,
  deleteFileRoute,
];
