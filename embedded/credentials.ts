import { createApiKey, type NewApiKey } from '../db/api-keys/api-keys.ts';
import type { Database } from '../db/client.ts';
import type { Vault } from '../db/secrets/vault.ts';
import { type CreatedEnvironment, createWorkspace, ENVIRONMENT_KINDS } from '../db/environments/workspaces.ts';
import type { PlanName } from '../domain/plans.ts';
import { SCOPES, type KeyPreset, type Scope } from '../domain/scopes.ts';
import type { DataFolder } from './data-folder.ts';
import { createOwner, EMBEDDED_OWNER_EMAIL, type OwnerCredentials } from './owner.ts';
import { readJsonFile, writePrivately } from './private-file.ts';
import { signingSecretOf } from './signing-secret.ts';

const WORKSPACE_NAME = 'My workspace';

/** One key for each environment and name. `all_scopes` also holds the scopes that no preset has: the earlier namespaces. */
const KEYS: readonly (NewApiKey & { name: string })[] = [
  { name: 'full_access', preset: 'full_access' },
  { name: 'standard', preset: 'standard' },
  { name: 'all_scopes', scopes: SCOPES },
  { name: 'agent', preset: 'agent' },
];

export interface CredentialsKey {
  name: string;
  environment: CreatedEnvironment['kind'];
  preset: KeyPreset | null;
  scopes: Scope[];
  key: string;
}

/** `DATA_DIR/credentials.json`. */
export interface Credentials {
  baseUrl: string;
  temporalUiUrl: string | null;
  temporalAddress: string;
  /** The application's own login; row-level security applies to it. */
  databaseUrl: string;
  databaseOwnerUrl: string | null;
  workspaceId: string;
  environments: CreatedEnvironment[];
  keys: CredentialsKey[];
  owner: OwnerCredentials;
  /** The first signing secret for deliveries, for receivers on this machine. */
  signingSecret: string;
  /** The demo's payment provider (demo/payments): where it listens, and the key that it wants. */
  payments: { url: string; key: string };
  /** The demo's workspace of Slack (demo/slack): the app's incoming webhook and what its clicks are signed with. */
  slack: { webhookUrl: string; signingSecret: string };
}

/** An earlier version may have written fewer members. */
type StoredCredentials = Omit<Credentials, 'owner' | 'signingSecret' | 'payments' | 'slack'> & Partial<Credentials>;

export type Addresses = Pick<
  Credentials,
  'baseUrl' | 'temporalUiUrl' | 'temporalAddress' | 'databaseUrl' | 'databaseOwnerUrl' | 'payments' | 'slack'
>;

/**
 * Returns the credentials of the first workspace: from the file if the database still holds that workspace, otherwise newly created on the
 * given plan. Adds keys that an earlier version did not create.
 */
export async function ensureCredentials(
  db: Database,
  folder: DataFolder,
  addresses: Addresses,
  plan: PlanName,
  vault: Pick<Vault, 'open' | 'seal'>,
): Promise<Credentials> {
  const file = folder.file('credentials.json');
  const before = readJsonFile(file) as StoredCredentials | null;
  const known = before !== null && (await isInDatabase(db, before)) ? before : null;
  const { workspaceId, environments } = known ?? (await createWorkspace(db, WORKSPACE_NAME, plan, ENVIRONMENT_KINDS));
  const keys = await withMissingKeys(db, workspaceId, environments, known?.keys ?? []);
  const [{ id: environmentId } = { id: '' }] = environments;
  const signingSecret = known?.signingSecret ?? (await signingSecretOf(db, vault, { workspaceId, environmentId }));
  const owner = known?.owner ?? (await createOwner(db, workspaceId, EMBEDDED_OWNER_EMAIL));
  const credentials: Credentials = { ...addresses, workspaceId, environments, keys, owner, signingSecret };
  const text = `${JSON.stringify(credentials, null, 2)}\n`;
  if (before === null || text !== `${JSON.stringify(before, null, 2)}\n`) writePrivately(file, text);
  return credentials;
}

async function isInDatabase(db: Database, credentials: StoredCredentials): Promise<boolean> {
  const [first] = credentials.environments;
  if (first === undefined) return false;
  const tenant = { workspaceId: credentials.workspaceId, environmentId: first.id };
  const { rows } = await db.withEnvironment(tenant, (tx) =>
    tx.raw<{ rows: { id: string }[] }>('is_in_database', 'SELECT id FROM environments'),
  );
  const ids = new Set(rows.map((row) => row.id));
  return credentials.environments.every((environment) => ids.has(environment.id));
}

/** A crash before the file is written leaves keys that nobody knows: only their hashes are stored. */
async function withMissingKeys(
  db: Database,
  workspaceId: string,
  environments: readonly CreatedEnvironment[],
  present: readonly CredentialsKey[],
): Promise<CredentialsKey[]> {
  const keys = [...present];
  for (const { id: environmentId, kind } of environments) {
    const missing = KEYS.filter(({ name }) => !present.some((key) => key.environment === kind && key.name === name));
    if (missing.length === 0) continue;
    const made = await db.withEnvironment({ workspaceId, environmentId }, async (tx) => {
      const ofEnvironment: CredentialsKey[] = [];
      for (const wanted of missing) {
        const { record, key } = await createApiKey(tx, wanted);
        const { name, preset, scopes } = record;
        ofEnvironment.push({ name, environment: kind, preset, scopes, key });
      }
      return ofEnvironment;
    });
    keys.push(...made);
  }
  return keys;
}

/** @throws {Error} when the stack has no such key: the file was written by another version, or edited. */
export function keyOf(
  { keys }: Pick<Credentials, 'keys'>,
  environment: CredentialsKey['environment'],
  name: (typeof KEYS)[number]['name'],
): string {
  const found = keys.find((one) => one.environment === environment && one.name === name);
  if (found === undefined) throw new Error(`credentials.json holds no key ${name} of the ${environment} environment`);
  return found.key;
}
