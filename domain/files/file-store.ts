/** Which file, and whose. Both are ids of ours: no name that a caller chose is ever part of a place in the store. */
export interface StoredFile {
  environmentId: string;
  fileId: string;
}

/** `incoming`: as it was sent to a presigned URL, not looked at yet. `content`: what the file is. */
export type FileStage = 'incoming' | 'content';

/** Where the caller sends its bytes, and the headers that it must send with them. */
export interface UploadTarget {
  url: string;
  headers: Record<string, string>;
}

export interface PresignedUpload {
  contentType: string;
  size: number;
  /** Hex. */
  sha256: string | null;
  expiresInSeconds: number;
}

export type Bytes = AsyncIterable<Uint8Array>;

/** The bytes of files. An object is there whole or not at all, whatever dies while it is written. */
export interface FileStore {
  /** Streams into the store; it holds no more than a few chunks in memory. Rejects where the source does, and nothing is there then. */
  put(file: StoredFile, stage: FileStage, source: Bytes): Promise<void>;
  /** Null where callers send to the API, which hands the bytes to `put`. */
  presign: ((file: StoredFile, upload: PresignedUpload) => Promise<UploadTarget>) | null;
  presignedBytesMax: number;
  /**
   * Promotes `incoming` to the content, idempotently. Returns the content's size in bytes, or null where there is none.
   */
  promote(file: StoredFile): Promise<number | null>;
  /** The content, or its bytes from `start` to `end`, both included. Null where there is none. */
  read(file: StoredFile, range?: { start: number; end: number }): Promise<Bytes | null>;
  /** Removes what was sent to the presigned URL, and what was begun of that. Only once nothing can come there any more. */
  removeIncoming(file: StoredFile): Promise<void>;
  removeContent(file: StoredFile): Promise<void>;
  /** Removes everything that is or was begun of it. Harmless where nothing is. */
  remove(file: StoredFile): Promise<void>;
}
