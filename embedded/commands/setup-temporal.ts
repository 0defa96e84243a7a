import { ensureNamespace } from '../namespace.ts';
import { registerSearchAttributes } from '../search-attributes.ts';
import { withTemporal } from '../with-temporal.ts';
import { runCommand } from './run-command.ts';

/** `npm run temporal:setup`: makes the namespace where there is none, and registers the search attributes in it. */
await runCommand('Usage: npm run temporal:setup', {}, async (configuration) => {
  const { TEMPORAL_NAMESPACE: namespace } = configuration;
  return withTemporal(configuration, async (connection) => {
    const isNew = await ensureNamespace(connection, namespace);
    const added = await registerSearchAttributes(connection, namespace);
    const said = added.length === 0 ? 'All search attributes are there already.' : `Registered: ${added.join(', ')}.`;
    return isNew ? `Made the namespace ${namespace}.\n${said}` : said;
  });
});
