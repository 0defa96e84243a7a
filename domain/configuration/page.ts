import { type ProcessKind, VARIABLES } from './configuration.ts';

const TITLES: Record<ProcessKind, string> = {
  api: 'API',
  worker: 'worker',
  setup: 'commands',
  embedded: '`npm start`',
};

/** docs/reference/configuration.md. `npm run docs:configuration` writes it, and a test compares it with the table. */
export function renderConfigurationPage(): string {
  const rows = Object.entries(VARIABLES).map(([name, variable]) => {
    const processes = variable.processes.map((kind) => TITLES[kind]).join(', ');
    return `| \`${name}\` | ${variable.meaning} | ${describeDefault(variable)} | ${processes} |`;
  });
  return [
    '# Configuration: environment variables',
    '',
    'Look up here every environment variable: what it sets, its default, and which process reads it.',
    '',
    'API is `node dist/server.js`, worker is `node dist/worker.js`, and commands are `npm run db:migrate`,',
    '`npm run temporal:setup` and `npm run secrets:rewrap`.',
    '',
    '| Variable | Meaning | Default | Read by |',
    '|---|---|---|---|',
    ...rows,
    '',
    '<!-- Generated from `domain/configuration/configuration.ts` by `npm run docs:configuration`. -->',
    '',
  ].join('\n');
}

function describeDefault(variable: {
  default: string | null;
  embeddedDefault?: string;
  required?: readonly ProcessKind[];
}): string {
  const show = (value: string): string => (value === '' ? 'empty' : `\`${value}\``);
  const parts = [
    ...(variable.default === null ? [] : [show(variable.default)]),
    ...(variable.required === undefined
      ? []
      : [`required: ${variable.required.map((kind) => TITLES[kind]).join(', ')}`]),
    ...(variable.embeddedDefault === undefined ? [] : [`\`npm start\`: ${show(variable.embeddedDefault)}`]),
  ];
  return parts.join('; ');
}
