import { existsSync } from 'node:fs';
import path from 'node:path';
import { ENVIRONMENT_KINDS } from '../../db/environments/workspaces.ts';
import { isDefaultFolder, stackOn } from '../data-folder.ts';
import { keyOf, type Credentials } from '../credentials.ts';
import { readJsonFile } from '../private-file.ts';
import { shellWord } from '../shell-word.ts';
import { runCommand } from './run-command.ts';

const USAGE = `Usage: eval "$(npm run --silent env)", or -- and one of ${ENVIRONMENT_KINDS.join(', ')} behind env.`;

/**
 * `eval "$(npm run --silent env)"`: sets the variables that the documentation uses, for the development environment of the stack of `npm
 * start` or for the kind named: `npm run --silent env -- production`.
 */
await runCommand(USAGE, { allowPositionals: true }, ({ DATA_DIR }, { positionals }) => {
  const [kind = 'development', ...others] = positionals;
  const known = ENVIRONMENT_KINDS.find((one) => one === kind);
  if (known === undefined || others.length > 0) throw new Error(USAGE);
  const folder = path.resolve(DATA_DIR);
  const file = path.join(folder, 'credentials.json');
  if (!existsSync(file)) throw new Error(`There is no ${file}: run npm start first, with the same DATA_DIR.`);
  if (stackOn(folder) === null)
    console.error(`No stack runs on ${folder} (DATA_DIR) now: these are those of its last start.`);
  const credentials = readJsonFile(file) as Credentials;
  const variables = {
    // The default folder stays unset: the shell may go on to another checkout.
    ...(isDefaultFolder(folder) ? {} : { DATA_DIR: folder }),
    BASE: credentials.baseUrl,
    AGENT: keyOf(credentials, known, 'agent'),
    OPERATOR: keyOf(credentials, known, 'full_access'),
    PUBLISHER: keyOf(credentials, known, 'all_scopes'),
    OWNER_EMAIL: credentials.owner.email,
    OWNER_PASSWORD: credentials.owner.password,
    PAYMENTS: credentials.payments.url,
    PAYMENTS_KEY: credentials.payments.key,
    SLACK_WEBHOOK_URL: credentials.slack.webhookUrl,
    SLACK_SIGNING_SECRET: credentials.slack.signingSecret,
  };
  return Promise.resolve(
    Object.entries(variables)
      .map(([name, value]) => `export ${name}=${shellWord(value)}`)
      .join('\n'),
  );
});
