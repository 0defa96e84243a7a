import { readFileSync } from 'node:fs';
import { Connection } from '@temporalio/client';
import { temporalConnectionOptions } from '../../domain/temporal-connection.ts';
import { connectOrSayWhy } from '../../process/connect-temporal.ts';
import { ensureNamespace } from '../namespace.ts';
import { registerSearchAttributes } from '../search-attributes.ts';
import { localStack } from '../local-stack.ts';
import { runCommand } from './run-command.ts';

/** `npm run temporal:setup`: makes the namespace where there is none, and registers the search attributes in it. */
await runCommand('Usage: npm run temporal:setup', {}, async (configuration) => {
  const { TEMPORAL_NAMESPACE: namespace, DATA_DIR: dataDir } = configuration;
  const address = configuration.TEMPORAL_ADDRESS ?? localStack(dataDir, 'TEMPORAL_ADDRESS').temporalAddress;
  const options = temporalConnectionOptions(address, configuration, (file) => readFileSync(file));
  const connection = await connectOrSayWhy(options, () => Connection.connect(options));
  try {
    const isNew = await ensureNamespace(connection, namespace);
    const added = await registerSearchAttributes(connection, namespace);
    const said = added.length === 0 ? 'All search attributes are there already.' : `Registered: ${added.join(', ')}.`;
    return isNew ? `Made the namespace ${namespace}.\n${said}` : said;
  } finally {
    await connection.close();
  }
});
