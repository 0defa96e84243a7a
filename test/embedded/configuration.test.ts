import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROCESS_KINDS, VARIABLES, type VariableName } from '../../domain/configuration/configuration.ts';
import { ConfigurationError, readConfiguration } from '../../domain/configuration/read-configuration.ts';
import { renderConfigurationPage } from '../../domain/configuration/page.ts';
import { temporalConnectionOptions } from '../../domain/temporal-connection.ts';
import { projectRoot } from '../../process/project-root.ts';

const KEY = Buffer.from('a random key of exactly 32 bytes').toString('base64');
const WORKER = {
  DATABASE_URL: 'postgresql://app:pw@db:5432/service',
  TEMPORAL_ADDRESS: 'temporal:7233',
  MASTER_KEYS: `1:${KEY}`,
};

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe('configuration', () => {
  it('needs nothing for the embedded stack', () => {
    expect(readConfiguration('embedded', {})).toMatchObject({
      PORT: 8080,
      HOST: '127.0.0.1',
      TEMPORAL_PORT: 7233,
      TEMPORAL_UI_PORT: 8233,
      POSTGRES_PORT: 0,
      DATA_DIR: '.local',
      DATABASE_URL: null,
      TEMPORAL_ADDRESS: null,
      LOG_LEVEL: 'info',
    });
  });

  it('lets actions reach the loopback in the embedded stack alone, and nothing where EGRESS_ALLOW is empty', () => {
    const shown = (allowed: readonly (readonly [{ toString(): string }, number])[]) =>
      allowed.map(([range, bits]) => `${range.toString()}/${bits}`);
    expect(shown(readConfiguration('embedded', {}).EGRESS_ALLOW)).toEqual(['127.0.0.0/8', '::1/128']);
    expect(shown(readConfiguration('embedded', { EGRESS_ALLOW: '' }).EGRESS_ALLOW)).toEqual([]);
    expect(shown(readConfiguration('worker', WORKER).EGRESS_ALLOW)).toEqual([]);
    expect(shown(readConfiguration('worker', { ...WORKER, EGRESS_ALLOW: '10.0.0.5, fd00::/8' }).EGRESS_ALLOW)).toEqual([
      '10.0.0.5/32',
      'fd00::/8',
    ]);
  });

  it.each(['sk_live_51Secret', 'rk_test_51Secret', 'whsec_secret', 'pk_', 'PK_test_1', 'pk_test_a b'])(
    'refuses what is no publishable key of Stripe, and does not repeat it: %s',
    (value) => {
      const problems = problemsOf(() => readConfiguration('embedded', { STRIPE_PUBLISHABLE_KEY: value }));
      expect(problems).toEqual([expect.stringContaining('STRIPE_PUBLISHABLE_KEY')]);
      expect(problems.join()).not.toContain('51Secret');
    },
  );

  it('takes a publishable key of Stripe', () => {
    const read = readConfiguration('embedded', { STRIPE_PUBLISHABLE_KEY: 'pk_test_51Example' });
    expect(read.STRIPE_PUBLISHABLE_KEY).toBe('pk_test_51Example');
  });

  it('reaches the providers at their own addresses, or where it is told', () => {
    const bases = (variables: Record<string, string>) => {
      const { STRIPE_API_BASE_URL, RESEND_API_BASE_URL } = readConfiguration('worker', { ...WORKER, ...variables });
      return [STRIPE_API_BASE_URL, RESEND_API_BASE_URL];
    };
    expect(bases({})).toEqual(['https://api.stripe.com', 'https://api.resend.com']);
    const told = { STRIPE_API_BASE_URL: 'http://127.0.0.1:9/stripe/', RESEND_API_BASE_URL: 'https://proxy.example' };
    expect(bases(told)).toEqual(['http://127.0.0.1:9/stripe', 'https://proxy.example']);
    for (const bad of ['api.stripe.com', 'ftp://x.example', 'https://user:pw@x.example', 'https://x.example/?a=1']) {
      const problems = problemsOf(() => bases({ STRIPE_API_BASE_URL: bad }));
      expect(problems).toEqual([expect.stringContaining('STRIPE_API_BASE_URL must be a URL') as string]);
    }
  });

  it('listens everywhere in production', () => {
    expect(readConfiguration('api', { ...WORKER, PORT: '' })).toMatchObject({ HOST: '0.0.0.0', PORT: 8080 });
  });

  it('names every problem at once', () => {
    expect(
      problemsOf(() =>
        readConfiguration('worker', { LOG_LEVEL: 'loud', EGRESS_ALLOW: 'x', DATABASE_URL: 'mysql://a' }),
      ),
    ).toEqual([
      'DATABASE_URL must be a URL like postgresql://user:password@host:5432/database.',
      expect.stringContaining('TEMPORAL_ADDRESS is not set.'),
      expect.stringContaining('MASTER_KEYS is not set.'),
      'EGRESS_ALLOW holds "x", which is neither an IP address nor a CIDR.',
      expect.stringContaining('LOG_LEVEL must be one of'),
    ]);
  });

  it('takes one host in the URL of a database', () => {
    const hosts = 'postgresql://app:pw@db-1,db-2/service';
    expect(problemsOf(() => readConfiguration('worker', { ...WORKER, DATABASE_URL: hosts }))).toEqual([
      expect.stringContaining('DATABASE_URL must name one host'),
    ]);
  });

  it('never repeats a master key or a password in a message', () => {
    const problems = problemsOf(() =>
      readConfiguration('worker', { ...WORKER, MASTER_KEYS: '1:hunter2', DATABASE_URL: 'mysql://u:hunter2@h/d' }),
    );
    expect(problems).toHaveLength(2);
    expect(problems.join()).not.toContain('hunter2');
    expect(problems.join()).toContain('entry 1');
  });

  it('takes a master key that is marked, beside one that seals', () => {
    const problemsWith = (text: string) =>
      problemsOf(() => readConfiguration('worker', { ...WORKER, MASTER_KEYS: text }));
    expect(problemsWith(`1:${KEY},~2:${KEY}`)).toEqual([]);
    expect(problemsWith(`~1:${KEY}, ~2:${KEY}`)).toEqual([
      expect.stringContaining('MASTER_KEYS marks every key with ~'),
    ]);
    expect(problemsWith(`1:${KEY},~2:hunter2`)).toEqual([expect.stringContaining('entry 2 is not')]);
  });

  describe('refuses the placeholders of examples', () => {
    /** Each secret in its usual form around a placeholder. Add the form of a new secret here. */
    const AROUND: Record<string, (placeholder: string) => string> = {
      DATABASE_URL: (placeholder) => `postgresql://app:${encodeURIComponent(placeholder)}@db:5432/service`,
      MIGRATION_DATABASE_URL: (placeholder) => `postgresql://owner:${encodeURIComponent(placeholder)}@db/service`,
      MASTER_KEYS: (placeholder) => `1:${KEY},2:${placeholder}`,
      TEMPORAL_API_KEY: (placeholder) => placeholder,
      TEMPORAL_PAYLOAD_KEYS: (placeholder) => `1:${KEY},2:${placeholder}`,
      API_KEY: (placeholder) => placeholder,
      SMTP_PASSWORD: (placeholder) => placeholder,
      EMBEDDINGS_API_KEY: (placeholder) => placeholder,
      S3_ACCESS_KEY_ID: (placeholder) => placeholder,
      S3_SECRET_ACCESS_KEY: (placeholder) => placeholder,
    };
    /** What a secret cannot be set without. */
    const BESIDE: Record<string, Record<string, string>> = { SMTP_PASSWORD: { SMTP_USER: 'runtime' } };
    const PLACEHOLDERS = [
      'replace-me',
      'changeme',
      'CHANGE_ME',
      'password',
      'your-api-key',
      '<token>',
      'xxxx',
      'a…',
      'replace-with-random',
      'REPLACE_WITH_KEY',
      'insert-key-here',
      'enter-your-key',
      'dummy',
    ];
    const problemsWith = (name: string, value: string) => {
      const kind = PROCESS_KINDS.find((one) =>
        (VARIABLES[name as VariableName].processes as readonly string[]).includes(one),
      );
      const rest = { ...WORKER, ...BESIDE[name], [name]: value };
      return problemsOf(() => readConfiguration(kind ?? 'api', rest));
    };

    it('knows every secret', () => {
      const secrets = Object.keys(VARIABLES).filter((name) => /KEY|SECRET|PASSWORD|TOKEN|DATABASE_URL/.test(name));
      const named = ['TEMPORAL_TLS_KEY', 'STRIPE_PUBLISHABLE_KEY']; // a file, and what every browser sees
      expect(secrets.filter((name) => !named.includes(name)).toSorted()).toEqual(Object.keys(AROUND).toSorted());
    });

    it.each(Object.entries(AROUND))('%s', (name, around) => {
      for (const placeholder of PLACEHOLDERS) {
        const problems = problemsWith(name, around(placeholder));
        expect(problems, placeholder).toEqual([
          expect.stringMatching(new RegExp(`^${name} .*the placeholder of an example`)),
        ]);
      }
      const own = ['MASTER_KEYS', 'TEMPORAL_PAYLOAD_KEYS'].includes(name)
        ? [KEY]
        : ['hunter2', 'replaceable-Xk2', 'my.secret.9'];
      expect(own.flatMap((value) => problemsWith(name, around(value)))).toEqual([]);
    });

    it('and a master key that repeats one byte', () => {
      const zeros = `1:${Buffer.alloc(32).toString('base64')}`;
      expect(problemsWith('MASTER_KEYS', zeros)).toEqual([expect.stringContaining('entry 1 repeats one byte')]);
    });
  });

  it('turns TLS on where anything is given that needs it', () => {
    const read = (environment: Record<string, string>) =>
      temporalConnectionOptions('t:7233', readConfiguration('worker', { ...WORKER, ...environment }), (file) =>
        Buffer.from(file),
      );
    expect(read({})).toEqual({ address: 't:7233', tls: false });
    expect(read({ TEMPORAL_API_KEY: 'k' })).toEqual({ address: 't:7233', tls: {}, apiKey: 'k' });
    expect(read({ TEMPORAL_TLS_CERT: 'c.pem', TEMPORAL_TLS_KEY: 'k.pem', TEMPORAL_TLS_CA: 'ca.pem' })).toEqual({
      address: 't:7233',
      tls: {
        serverRootCACertificate: Buffer.from('ca.pem'),
        clientCertPair: { crt: Buffer.from('c.pem'), key: Buffer.from('k.pem') },
      },
    });
    expect(problemsOf(() => read({ TEMPORAL_TLS_CERT: 'c.pem' }))).toEqual([
      'TEMPORAL_TLS_CERT needs TEMPORAL_TLS_KEY.',
    ]);
    // Alone it would not even turn TLS on: the connection would be in the clear, without a word.
    expect(problemsOf(() => read({ TEMPORAL_TLS_KEY: 'k.pem', TEMPORAL_TLS_CERT: '' }))).toEqual([
      'TEMPORAL_TLS_KEY needs TEMPORAL_TLS_CERT.',
    ]);
  });

  it('names the variable of a file that cannot be read', () => {
    const configuration = readConfiguration('worker', { ...WORKER, TEMPORAL_TLS_CA: '/dev/null/ca.pem' });
    expect(() => temporalConnectionOptions('t:7233', configuration, (file) => readFileSync(file))).toThrow(
      /^TEMPORAL_TLS_CA cannot be read: ENOTDIR/,
    );
  });

  it('has the page that is made from its table', () => {
    const page = readFileSync(path.join(projectRoot(), 'docs', 'reference', 'configuration.md'), 'utf8');
    expect(page, 'run "npm run docs:configuration"').toBe(renderConfigurationPage());
  });
});
