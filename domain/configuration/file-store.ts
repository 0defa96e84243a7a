import { z } from 'zod';
import { baseUrlSchema } from '../base-url.ts';
import { onOffSchema, secretSchema, textSchema } from './schemas.ts';
import type { Variable } from './variable.ts';

const PROCESSES = ['api', 'worker', 'embedded'] as const;

/** Where the bytes of files are kept (docs/files.md). API and workers need the same values. */
export const FILE_STORE = {
  FILES: {
    meaning: 'Where files are kept: `folder`, or `s3` for any store that speaks S3.',
    default: 'folder',
    processes: PROCESSES,
    schema: z.enum(['folder', 's3'], 'must be "folder" or "s3"'),
  },
  FILES_DIR: {
    meaning:
      'The folder of `FILES=folder`, which all processes share; `files` where it is not set, and with the embedded stack `files` in DATA_DIR.',
    default: null,
    processes: PROCESSES,
    schema: textSchema,
  },
  S3_ENDPOINT: {
    meaning: 'Where the S3 store is reached, for example `https://s3.eu-central-1.amazonaws.com`. With `FILES=s3`.',
    default: null,
    processes: PROCESSES,
    schema: baseUrlSchema,
  },
  S3_REGION: {
    meaning: 'The region that requests to the S3 store are signed for.',
    default: 'us-east-1',
    processes: PROCESSES,
    schema: textSchema,
  },
  S3_BUCKET: {
    meaning: 'The bucket. The service makes none, and needs it for itself.',
    default: null,
    processes: PROCESSES,
    schema: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket'),
  },
  S3_ACCESS_KEY_ID: {
    meaning: 'The access key of the S3 store. It may get, put and delete objects of the bucket.',
    default: null,
    processes: PROCESSES,
    schema: secretSchema,
  },
  S3_SECRET_ACCESS_KEY: {
    meaning: 'Its secret.',
    default: null,
    processes: PROCESSES,
    schema: secretSchema,
  },
  S3_PATH_STYLE: {
    meaning: '`on`: the bucket is the first part of the path. `off`: it is the first part of the host.',
    default: 'on',
    processes: PROCESSES,
    schema: onOffSchema,
  },
} as const satisfies Record<string, Variable>;

const OF_S3 = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

/** What `FILES=s3` needs and is not set. */
export function fileStoreProblems(values: Readonly<Record<string, unknown>>): string[] {
  if (values['FILES'] !== 's3') return [];
  return OF_S3.filter((name) => values[name] === null).map((name) => `FILES=s3 needs ${name}.`);
}
