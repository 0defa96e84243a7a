import type { ChatProvider } from '../../domain/integrations/integrations.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { SealedSecret } from '../secrets/vault.ts';
import { INTEGRATION_COLUMNS, type IntegrationRecord, type IntegrationWithCredential } from './records.ts';

export async function getIntegration(tx: EnvironmentTransaction, id: string): Promise<IntegrationRecord | null> {
  const { rows } = await tx.raw<{ rows: IntegrationRecord[] }>(
    `SELECT ${INTEGRATION_COLUMNS} FROM integrations i WHERE i.id = ?`,
    [id],
  );
  return rows[0] ?? null;
}

type Row = Omit<IntegrationWithCredential, 'sealed'> & SealedSecret;

/** With its credential, to send or to verify. `lock`: the row does not change until the transaction ends. */
export async function readCredential(
  tx: EnvironmentTransaction,
  { id, provider }: { id: string; provider: ChatProvider | null },
  lock: 'FOR SHARE' | '' = '',
): Promise<IntegrationWithCredential | null> {
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `SELECT ${INTEGRATION_COLUMNS}, i.application_id AS "applicationId", i.public_key AS "publicKey",
       i.master_key_version AS "masterKeyVersion", i.wrapped_data_key AS "wrappedDataKey", i.sealed_value AS "sealedValue"
     FROM integrations i WHERE i.id = :id AND (CAST(:provider AS text) IS NULL OR i.provider = :provider) ${lock}`,
    { id, provider },
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { masterKeyVersion, wrappedDataKey, sealedValue, ...integration } = row;
  return { ...integration, sealed: { masterKeyVersion, wrappedDataKey, sealedValue } };
}
