import path from 'node:path';
import type { parseArgs } from 'node:util';
import type { Tenant } from '../../db/client.ts';
import { listEveryEnvironment } from '../../db/environments/directory.ts';
import { KEPT_DAYS_MIN } from '../../domain/archive/manifest.ts';
import type { Configuration } from '../../domain/configuration/configuration.ts';
import { archiveEnvironment, type Archived } from '../archive/archive-environment.ts';
import { verifyFolder } from '../archive/read-archive.ts';
import { asOnlyArchiver } from '../archive/only-archiver.ts';
import { databaseOf } from '../local-stack.ts';
import { withDatabase } from '../with-database.ts';
import { runCommand } from './run-command.ts';

const USAGE = `Usage: npm run archive -- --before=<YYYY-MM-DD> --to=<folder> [--environment=<id>] [--dry-run]
       npm run archive -- --verify=<folder>`;

const TEXT = { type: 'string' } as const;
const OPTIONS = {
  before: TEXT,
  to: TEXT,
  environment: TEXT,
  verify: TEXT,
  'dry-run': { type: 'boolean', default: false },
} as const;
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * `npm run archive`: moves invocations that ended long ago, with all of their records, from the database into files (docs/retention.md).
 * `--verify` checks such files without a database.
 */
await runCommand(USAGE, { options: OPTIONS }, async (configuration, { values }) => {
  const asked = askedBy(values);
  if (asked.verify !== null) return verify(asked.verify);
  const { applicationUrl, ownerUrl } = urlsOf(configuration);
  const tenants = await tenantsOf(applicationUrl, asked.environment);
  return asOnlyArchiver(ownerUrl, () =>
    withDatabase(ownerUrl, 'archive', async (owner) => {
      const lines: string[] = [];
      for (const tenant of tenants) {
        const done = await archiveEnvironment({ owner, ...asked }, tenant);
        lines.push(lineOf(tenant, done, asked.dryRun));
      }
      return lines.join('\n');
    }),
  );
});

type Asked =
  { verify: string } | { verify: null; before: Date; folder: string; environment: string | null; dryRun: boolean };

function askedBy(values: ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']): Asked {
  if (values.verify !== undefined) return { verify: path.resolve(values.verify) };
  if (values.before === undefined || values.to === undefined) throw new Error(USAGE);
  const before = new Date(values.before);
  if (!/^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/.test(values.before) || Number.isNaN(before.getTime())) {
    throw new Error(`--before takes a date such as 2025-01-01, in UTC.\n${USAGE}`);
  }
  const latest = new Date(Date.now() - KEPT_DAYS_MIN * DAY_MS);
  if (before > latest) {
    throw new Error(
      `--before is at most ${latest.toISOString().slice(0, 10)}: records are kept for ${KEPT_DAYS_MIN} days, which analytics and usage look back.`,
    );
  }
  const folder = path.resolve(values.to);
  return { verify: null, before, folder, environment: values.environment ?? null, dryRun: values['dry-run'] };
}

function urlsOf(configuration: Configuration<'setup'>): { applicationUrl: string; ownerUrl: string } {
  const { applicationUrl, ownerUrl } = databaseOf(configuration);
  if (ownerUrl === null) throw new Error('Set MIGRATION_DATABASE_URL: only the owner of the tables archives.');
  return { applicationUrl, ownerUrl };
}

async function tenantsOf(applicationUrl: string, environment: string | null): Promise<Tenant[]> {
  const all = await withDatabase(applicationUrl, 'archive', listEveryEnvironment);
  const asked = all.filter(({ environmentId }) => environment === null || environmentId === environment);
  if (asked.length === 0) throw new Error(`There is no environment${environment === null ? '' : ` ${environment}`}.`);
  return asked;
}

async function verify(folder: string): Promise<string> {
  const { files, invocations, faults } = await verifyFolder(folder);
  const checked = `${invocations} invocations in ${files} files`;
  if (faults.length > 0) throw new Error([`Broken (of ${files} files):`, ...faults].join('\n'));
  return `Whole: ${checked}.`;
}

function lineOf({ environmentId }: Tenant, { archived, files, staying, leftovers }: Archived, dryRun: boolean): string {
  const reasons = Object.entries(staying).map(([reason, count]) => `${count} ${reason}`);
  const stay = reasons.length === 0 ? '' : ` Staying: ${reasons.join(', ')}.`;
  const left = leftovers.map((name) => `\n  ${name} is left over: its records are in the database, and differ by now.`);
  return `${environmentId}: ${archived} invocations ${dryRun ? 'would be' : 'are'} archived in ${files} files.${stay}${left.join('')}`;
}
