import { readFileSync } from 'node:fs';
import { Connection } from '@temporalio/client';
import { temporalConnectionOptions } from '../../domain/temporal-connection.ts';
import { registerSearchAttributes } from '../search-attributes.ts';
import { runCommand } from './run-command.ts';

/** `npm run temporal:setup`: registers the search attributes in the namespace. */
await runCommand(async (configuration) => {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = configuration;
  if (address === null) throw new Error('TEMPORAL_ADDRESS is not set.');
  const connection = await Connection.connect(
    temporalConnectionOptions(address, configuration, (file) => readFileSync(file)),
  );
  try {
    const added = await registerSearchAttributes(connection, namespace);
    return added.length === 0 ? 'All search attributes are there already.' : `Registered: ${added.join(', ')}.`;
  } finally {
    await connection.close();
  }
});
