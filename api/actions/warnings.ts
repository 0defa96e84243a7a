import { z } from 'zod';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { readSecretVersions } from '../../db/secrets/secrets.ts';
import type { Findings } from '../../domain/actions/check-definition.ts';
import { WARNING_CODES, type Warning } from '../../domain/actions/warnings.ts';
import { type EgressAllow, isBlocked } from '../../domain/egress.ts';
import { actionSchema } from './action-schemas.ts';

export const warningSchema = z
  .strictObject({
    path: z.string().describe('Dotted path into what was written, such as `adapter.config.url` of an action.'),
    code: z.enum(WARNING_CODES).describe('Each code is explained in docs/reference/warnings.md.'),
    message: z.string(),
  })
  .meta({ id: 'ActionWarning' });

export const writtenActionSchema = actionSchema
  .extend({ warnings: z.array(warningSchema).describe('What may be wrong with the definition that was written.') })
  .meta({ id: 'WrittenAction' });

export async function missingSecretsOf(
  tx: EnvironmentTransaction,
  secretNames: readonly string[],
): Promise<ReadonlySet<string>> {
  const versions = await readSecretVersions(tx, secretNames);
  return new Set(secretNames.filter((name) => (versions[name] ?? 0) === 0));
}

/** All warnings of a definition: its own findings, blocked addresses and missing secrets. */
export function warningsOf(
  { warnings, addresses, secretPaths }: Findings,
  egressAllow: EgressAllow,
  missingSecrets: ReadonlySet<string>,
): Warning[] {
  const blocked = addresses.filter(({ host }) => isBlocked(addressOf(host), egressAllow));
  const missing = Object.entries(secretPaths).filter(([name]) => missingSecrets.has(name));
  return [
    ...warnings,
    ...blocked.map(({ path, host }): Warning => ({
      path,
      code: 'destination_blocked',
      message: `leads to ${host}, an address that this installation does not call`,
    })),
    ...missing.map(([name, path]): Warning => ({
      path,
      code: 'secret_missing',
      message: `refers to the secret ${name}, which the vault does not have yet; store it by PUT /api/v2/secrets/${name}`,
    })),
  ];
}

/** RFC 6761: these names are the loopback. */
function addressOf(host: string): string {
  return host === 'localhost' || host.endsWith('.localhost') ? '127.0.0.1' : host;
}
