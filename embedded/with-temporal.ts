import { readFileSync } from 'node:fs';
import { Connection } from '@temporalio/client';
import type { Configuration } from '../domain/configuration/configuration.ts';
import { temporalConnectionOptions } from '../domain/temporal-connection.ts';
import { connectOrSayWhy } from '../process/connect-temporal.ts';
import { localStack } from './local-stack.ts';

/** Gives a command a connection to Temporal, that of `npm start` where no address is set, and closes it. */
export async function withTemporal<T>(
  configuration: Configuration<'setup'>,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const address =
    configuration.TEMPORAL_ADDRESS ?? localStack(configuration.DATA_DIR, 'TEMPORAL_ADDRESS').temporalAddress;
  const options = temporalConnectionOptions(address, configuration, (file) => readFileSync(file));
  const connection = await connectOrSayWhy(options, () => Connection.connect(options));
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}
