import type { Configuration } from '../../../domain/configuration/configuration.ts';
import type { FileStore } from '../../../domain/files/file-store.ts';
import { createFolderStore } from './folder-store.ts';
import { createS3Store } from './s3-store.ts';

export const FILES_DIR_DEFAULT = 'files';

type Settings = Pick<
  Configuration<'api'>,
  | 'FILES'
  | 'FILES_DIR'
  | 'S3_ENDPOINT'
  | 'S3_REGION'
  | 'S3_BUCKET'
  | 'S3_ACCESS_KEY_ID'
  | 'S3_SECRET_ACCESS_KEY'
  | 'S3_PATH_STYLE'
>;

/** The store that is configured. Throws where one of its settings is missing, and names it. */
export function createFileStore(settings: Settings, folderDefault: string): FileStore {
  if (settings.FILES === 'folder') return createFolderStore(settings.FILES_DIR ?? folderDefault);
  return createS3Store({
    endpoint: required('S3_ENDPOINT', settings.S3_ENDPOINT),
    region: settings.S3_REGION,
    bucket: required('S3_BUCKET', settings.S3_BUCKET),
    accessKeyId: required('S3_ACCESS_KEY_ID', settings.S3_ACCESS_KEY_ID),
    secretAccessKey: required('S3_SECRET_ACCESS_KEY', settings.S3_SECRET_ACCESS_KEY),
    pathStyle: settings.S3_PATH_STYLE,
  });
}

function required(name: string, value: string | null): string {
  if (value === null) throw new Error(`${name} must be set where FILES is s3`);
  return value;
}
