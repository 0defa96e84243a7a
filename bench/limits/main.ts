import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildDefinition } from '../../api/actions/definition.ts';
import { createAction } from '../../db/actions/changes.ts';
import { Database, type Tenant } from '../../db/client.ts';
import { createWorkspace, ENVIRONMENT_KINDS } from '../../db/environments/workspaces.ts';
import { LIVE_LIMITS_MAX } from '../../domain/impact-limits/limits.ts';
import { startBenchDatabase } from '../databases.ts';
import { describeRun, thisMachine } from '../machine.ts';
import { writeResult } from '../results.ts';
import {
  checkCounts,
  type Place,
  prepareEffects,
  prepareSides,
  reserveBare,
  reserveGoverned,
  type Work,
} from './sides.ts';

/** `npm run bench:limits [-- --write]`. See docs/performance.md. */
const CONCURRENCY = 16;
const ROUNDS = 7;
const ROUND_RESERVATIONS = 1_500;
/** An environment may have 100 limits, so a thousand limits belong to ten environments. */
const ENVIRONMENTS = 10;
/** The target: at least this share of the bare throughput. */
const RATIO_MIN = 0.6;

const stops: (() => Promise<void> | void)[] = [];
const folder = mkdtempSync(path.join(tmpdir(), 'bench-limits-'));
try {
  const takenAt = new Date().toISOString();
  const text = await measure(takenAt);
  process.stdout.write(`\n${text}`);
  if (process.argv.includes('--write')) writeResult('limits', takenAt, text);
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true });
}

interface Databases {
  ownerUrl: string;
  db: Database;
  tenants: Tenant[];
}

async function measure(takenAt: string): Promise<string> {
  const machine = thisMachine();
  const lines = [
    '# Reservations a second: the service, and the bare SQL of the same rows',
    '',
    describeRun({ takenAt, machine }),
    `${ROUNDS} rounds of ${ROUND_RESERVATIONS} reservations for each side, in turn, ${CONCURRENCY} at once; medians. Client and PostgreSQL share the cores.`,
    '',
    '| limits                     | service | bare    | ratio (lowest – highest round) | aim                |',
    '| -------------------------- | ------- | ------- | ------------------------------ | ------------------ |',
  ];
  for (const [title, environments, limitsEach] of [
    ['one, hot', 1, 1],
    ['1,000, of 10 environments', ENVIRONMENTS, LIVE_LIMITS_MAX],
  ] as const) {
    const databases = await prepare(environments);
    const places = await prepareSides(databases.ownerUrl, databases.tenants, limitsEach);
    const { service, bare, ratios } = await series(databases, places);
    const ratio = median(ratios);
    lines.push(
      `| ${title.padEnd(26)} | ${perSecond(service)} | ${perSecond(bare)} | ${`${ratio.toFixed(2)} (${Math.min(...ratios).toFixed(2)} – ${Math.max(...ratios).toFixed(2)})`.padEnd(30)} | ${`${RATIO_MIN}: ${ratio >= RATIO_MIN ? 'met' : '**missed**'}`.padEnd(18)} |`,
    );
  }
  return `${lines.join('\n')}\n`;
}

async function series(
  databases: Databases,
  places: readonly Place[],
): Promise<Record<'service' | 'bare' | 'ratios', number[]>> {
  const { db, ownerUrl } = databases;
  const measured: Record<'service' | 'bare' | 'ratios', number[]> = { service: [], bare: [], ratios: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const work = await workOf(ownerUrl, places);
    // The sides take turns, and each goes first equally often.
    const sides = [
      () => rate(work, (one) => reserveGoverned(db, one)),
      () => rate(work, (one) => reserveBare(db, one)),
    ];
    const isServiceFirst = round % 2 === 0;
    const first = await (isServiceFirst ? sides[0] : sides[1])?.();
    const second = await (isServiceFirst ? sides[1] : sides[0])?.();
    const [service = 0, bare = 0] = isServiceFirst ? [first, second] : [second, first];
    await checkCounts(ownerUrl, { governed: (round + 1) * work.length, bare: (round + 1) * work.length });
    if (round === 0) continue; // the warm-up: it opens connections and prepares statements
    measured.service.push(service);
    measured.bare.push(bare);
    measured.ratios.push(service / bare);
    console.log(`  service ${service.toFixed(0)}/s, bare ${bare.toFixed(0)}/s, ratio ${(service / bare).toFixed(2)}`);
  }
  return measured;
}

/** Makes effects that are ready to be dispatched, spread over the limits. */
async function workOf(ownerUrl: string, places: readonly Place[]): Promise<Work[]> {
  const work: Work[] = [];
  for (const { tenant, agents } of places) {
    const ids = await prepareEffects(ownerUrl, tenant, Math.ceil(ROUND_RESERVATIONS / places.length));
    for (const [at, effectId] of ids.entries()) {
      const agent = agents[at % agents.length];
      if (agent !== undefined) work.push({ tenant, effectId, ...agent });
    }
  }
  // Consecutive effects belong to different environments.
  return work.toSorted((left, right) => (left.effectId.slice(-6) < right.effectId.slice(-6) ? -1 : 1));
}

async function rate(work: readonly Work[], reserve: (one: Work) => Promise<void>): Promise<number> {
  const left = [...work];
  const startedAt = performance.now();
  const lane = async (): Promise<void> => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) await reserve(one);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  return work.length / ((performance.now() - startedAt) / 1_000);
}

async function prepare(environments: number): Promise<Databases> {
  const { databaseUrl, ownerUrl, stop } = await startBenchDatabase(folder, `postgres-${environments}`);
  stops.push(stop);
  const db = new Database({ url: databaseUrl, applicationName: 'bench', poolMax: CONCURRENCY });
  stops.push(() => db.close());
  const tenants: Tenant[] = [];
  for (let made = 0; made < environments; made++) tenants.push(await makeTenant(db, made));
  return { ownerUrl, db, tenants };
}

async function makeTenant(db: Database, number: number): Promise<Tenant> {
  const { workspaceId, environments } = await createWorkspace(
    db,
    `Benchmark ${number}`,
    'enterprise',
    ENVIRONMENT_KINDS,
  );
  const tenant = { workspaceId, environmentId: environments[0]?.id ?? '' };
  const adapter = { type: 'http.request', config: { method: 'POST' as const, url: 'https://example.com/hook' } };
  const version = {
    ...buildDefinition({ adapter }, null, []),
    createdBy: { type: 'api_key' as const, id: 'key_bench' },
    changeNote: null,
  };
  await db.withEnvironment(tenant, (tx) =>
    createAction(tx, { environmentId: tenant.environmentId, name: 'bench', description: null, version }),
  );
  return tenant;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function perSecond(rates: readonly number[]): string {
  return `${median(rates).toFixed(0)}/s`.padEnd(7);
}
