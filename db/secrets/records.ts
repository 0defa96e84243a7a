/** A secret as callers may see it: never its value. */
export interface SecretRecord {
  id: string;
  name: string;
  /** The version that dispatches use now. */
  version: number;
  description: string | null;
  createdAt: Date;
  /** When the current value replaced an earlier one; null for a first value. */
  rotatedAt: Date | null;
}

export const SECRET_COLUMNS = {
  id: 'secrets.id',
  name: 'secrets.name',
  version: 'secrets.current_version',
  description: 'secrets.description',
  createdAt: 'secrets.created_at',
  rotatedAt: 'secrets.rotated_at',
} as const;
