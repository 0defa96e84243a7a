import { readFileSync } from 'node:fs';
import { Connection } from '@temporalio/client';
import { temporalConnectionOptions } from '../../domain/temporal-connection.ts';
import { registerSearchAttributes } from '../search-attributes.ts';
import { localStack } from '../local-stack.ts';
import { runCommand } from './run-command.ts';

/** `npm run temporal:setup`: registers the search attributes in the namespace. */
await runCommand(async (configuration) => {
  const { TEMPORAL_NAMESPACE: namespace, DATA_DIR: dataDir } = configuration;
  const address = configuration.TEMPORAL_ADDRESS ?? localStack(dataDir, 'TEMPORAL_ADDRESS').temporalAddress;
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
