import type { Check } from './check.ts';
import { DATABASE_CHECKS } from './database-checks.ts';
import { KEY_CHECKS } from './key-checks.ts';
import { LOGIN_CHECKS } from './login-checks.ts';
import { MACHINE_CHECKS } from './machine-checks.ts';
import { MAIL_CHECKS } from './mail-checks.ts';
import { REACH_CHECKS } from './reach-checks.ts';
import { SERVER_CHECKS } from './server-checks.ts';
import { SETTINGS_CHECKS } from './settings-checks.ts';
import { STORAGE_CHECKS } from './storage-checks.ts';
import { TEMPORAL_CHECKS } from './temporal-checks.ts';
import { WORK_CHECKS } from './work-checks.ts';
import { WORKER_CHECKS } from './worker-checks.ts';

/** Every check, by what it is about. docs/doctor.md is made of it. What a check needs stands above it. */
export const AREAS: Readonly<Record<string, readonly Check[]>> = {
  Settings: SETTINGS_CHECKS,
  PostgreSQL: [...DATABASE_CHECKS, ...LOGIN_CHECKS, ...SERVER_CHECKS],
  'Master keys': KEY_CHECKS,
  Temporal: TEMPORAL_CHECKS,
  Workers: WORKER_CHECKS,
  Work: WORK_CHECKS,
  'Own ports': REACH_CHECKS,
  'Files, models, mail': [...STORAGE_CHECKS, ...MAIL_CHECKS],
  Machine: MACHINE_CHECKS,
};

export const CHECKS: readonly Check[] = Object.values(AREAS).flat();
