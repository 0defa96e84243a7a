import type { JsonObject } from '../../domain/json.ts';
import { selected } from '../columns.ts';

export interface FileRecord {
  id: string;
  filename: string;
  contentType: string;
  /** Bytes. Pending: what is reserved. */
  size: number;
  /** Hex. Pending: what was promised, or null. */
  sha256: string | null;
  status: 'pending' | 'ready';
  purpose: string | null;
  metadata: JsonObject;
  createdAt: Date;
  confirmedAt: Date | null;
  /** Pending: until when it may be uploaded and confirmed. */
  expiresAt: Date;
}

export const FILE_COLUMNS = selected({
  id: 'f.id',
  filename: 'f.filename',
  contentType: 'f.content_type',
  size: 'CAST(f.size AS float8)',
  sha256: 'f.sha256',
  status: 'f.status',
  purpose: 'f.purpose',
  metadata: 'f.metadata',
  createdAt: 'f.created_at',
  confirmedAt: 'f.confirmed_at',
  expiresAt: 'f.expires_at',
});

/** A direct upload is not a file before its last byte; an expired or deleted file no longer is one. */
export const IS_FILE = `(f.status = 'ready' OR (f.status = 'pending' AND f.upload = 'presigned' AND f.expires_at > now()))`;
