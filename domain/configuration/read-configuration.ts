import { plainMessages } from '../json-schema/schema-messages.ts';
import { smtpProblems } from '../notifications/smtp-settings.ts';
import { fileStoreProblems } from './file-store.ts';
import { type Configuration, type ProcessKind, type Variable, VARIABLES } from './configuration.ts';

/** The environment variables of a process. Only server.ts, worker.ts and embedded/ read them. */
export type EnvironmentVariables = Record<string, string | undefined>;

/** Every problem of an environment at once. No message holds the value of a variable that may be a secret. */
export class ConfigurationError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The configuration cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

/** The values of a configuration of which some may be unusable: null then, as where one is not set. */
export type Examined<Kind extends ProcessKind> = {
  readonly [Name in keyof Configuration<Kind>]: Configuration<Kind>[Name] | null;
};

/** Reads and checks what a process of this kind is configured with. Throws ConfigurationError with all problems at once. */
export function readConfiguration<Kind extends ProcessKind>(
  kind: Kind,
  environment: EnvironmentVariables,
): Configuration<Kind> {
  const { values, problems } = examineConfiguration(kind, environment);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return values as unknown as Configuration<Kind>;
}

/** The same, for who works with what can be used of it. */
export function examineConfiguration<Kind extends ProcessKind>(
  kind: Kind,
  environment: EnvironmentVariables,
): { values: Examined<Kind>; problems: readonly string[] } {
  const problems: string[] = [];
  const values: [string, unknown][] = [];
  for (const [name, variable] of Object.entries<Variable>(VARIABLES)) {
    if (!variable.processes.includes(kind)) continue;
    const given = environment[name];
    const isSet = given !== undefined && (given !== '' || variable.emptyCounts === true);
    const text = isSet ? given : defaultFor(kind, variable);
    if (text === null) {
      if (variable.required?.includes(kind) === true) problems.push(`${name} is not set. ${variable.meaning}`);
      values.push([name, null]);
      continue;
    }
    const parsed = variable.schema.safeParse(text.trim(), { error: plainMessages });
    values.push([name, parsed.data]); // undefined: set, and wrong
    if (!parsed.success) problems.push(...parsed.error.issues.map((issue) => `${name} ${issue.message}.`));
  }
  problems.push(...clientCertificateProblems(environment));
  if (kind === 'worker' || kind === 'embedded') problems.push(...smtpProblems(Object.fromEntries(values)));
  problems.push(...fileStoreProblems(Object.fromEntries(values)));
  const usable = values.map(([name, value]) => [name, value ?? null]);
  return { values: Object.fromEntries(usable) as Examined<Kind>, problems };
}

/** Either without the other would be left out, and a key alone does not even turn TLS on. */
function clientCertificateProblems(environment: EnvironmentVariables): string[] {
  const [hasCertificate, hasKey] = ['TEMPORAL_TLS_CERT', 'TEMPORAL_TLS_KEY'].map(
    (name) => (environment[name] ?? '') !== '',
  );
  if (hasCertificate === hasKey) return [];
  return [hasKey ? 'TEMPORAL_TLS_KEY needs TEMPORAL_TLS_CERT.' : 'TEMPORAL_TLS_CERT needs TEMPORAL_TLS_KEY.'];
}

function defaultFor(kind: ProcessKind, variable: Variable): string | null {
  return kind === 'embedded' ? (variable.embeddedDefault ?? variable.default) : variable.default;
}
