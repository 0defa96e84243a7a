import { lineAt, type SourceFile, type Violation } from './source-tree.ts';

interface StrayRule {
  pattern: RegExp;
  applies(path: string, text: string): boolean;
  message: string;
}

const anywhere = (): boolean => true;
const inTypeScript = (path: string): boolean => /\.tsx?$/.test(path);
/** Made of what the routes declare (`npm run openapi`), which is held to the rules itself. */
const GENERATED = /^sdk\/(typescript\/src\/generated\/|python\/src\/agent_action_runtime\/types\.py$)/;
/** Comments, what is published of the API (`describe`, `meta`) and pages. */
const inProse = (path: string): boolean => /\.(tsx?|mjs|py|md|sql|ya?ml|example)$/.test(path) && !GENERATED.test(path);
const inShippedTypeScript = (path: string): boolean => inTypeScript(path) && !path.startsWith('test/');

/** This file and its test contain the words that they forbid. */
const NAMES_THE_FORBIDDEN = /^test\/architecture\/stray-rules(\.test)?\.ts$/;

/** A route's declaration that says why it owns its transactions. */
const DECLARES_OWNERSHIP = /^\s+ownsItsTransaction:/m;
const OPENS_TRANSACTION =
  /\b(withEnvironment|withWorkspace|withUser|withMember|oneStatement)\s*[(<]|import \{[^}]*\brecordAudit\b[^}]*\} from '[^']*\/record-audit\.ts'/g;

/**
 * Files in api/<area> that open transactions and declare no route: routes of the handler form, workflow starters and pages call them. They
 * stand here, so that each is looked at: nothing in such a file says which route answers for it.
 */
const TRANSACTIONS_BESIDE_ROUTES: ReadonlySet<string> = new Set([
  'api/auth/audit.ts',
  'api/context/context-of-session.ts',
  'api/files/delete-file.ts',
  'api/messages/start-scheduled.ts',
  'api/integrations/take-click.ts',
  'api/invocations/await-rest.ts',
  'api/invocations/invoke.ts',
  'api/invocations/start-known-invocation.ts',
  'api/invocations/withdraw-left-lying.ts',
  'api/http/plan-directory.ts',
  'api/previews/read-provider.ts',
]);

const STRAY_RULES: readonly StrayRule[] = [
  {
    pattern: /(?<![\w.*}])\/(root|work|farm|tmp|home)\/[a-z]/g,
    applies: anywhere,
    message: 'names a path of one machine: take a relative path, os.tmpdir() or a setting',
  },
  {
    pattern: /registry\.npmjs|registry\.yarnpkg|files\.pythonhosted|proxy\.golang|\bpypi\.org/g,
    applies: anywhere,
    message: 'names the host of a package registry: leave the choice to the reader’s npm, pip or go configuration',
  },
  {
    pattern: /"resolved": "https?:/g,
    applies: (path) => path === 'package-lock.json',
    message: 'pins a registry’s address: install with the repository’s .npmrc (omit-lockfile-registry-resolved)',
  },
  {
    pattern: /@ts-(ignore|nocheck)|(eslint|oxlint)-disable|\bas any\b|prettier-ignore/g,
    applies: inTypeScript,
    message: 'silences a check: mend what the check found',
  },
  {
    pattern: /\b(describe|test|it)(\.\w+)*\.(only|skip|todo)\b/g,
    applies: (path) => path.startsWith('test/') && inTypeScript(path),
    message: 'leaves tests out: make it run, or remove it; use skipIf with the reason where a machine cannot run it',
  },
  {
    pattern: /\btimeout: *\d[\d_]*(?= *[,}\n])/g,
    applies: (path) => path.startsWith('test/') && inTypeScript(path) && path !== 'test/harness/patience.ts',
    message:
      'waits for a time of its own, which a busy machine may exceed: leave the default of `expect.poll`, or use PATIENCE_MS of test/harness/patience.ts; a bound of the product is a named constant',
  },
  {
    pattern: /\b(TODO|FIXME|XXX|HACK)\b/g,
    applies: inTypeScript,
    message: 'leaves a note of unfinished work: finish it, or open an issue',
  },
  {
    pattern: /\bAbortSignal\s*\.\s*(any|timeout)\b/g,
    applies: (path) => inTypeScript(path) || /\.[cm]?js$/.test(path),
    message:
      'makes a time-out that Node 20 can lose to its garbage collector (nodejs/node#57736): `using deadline = new Deadline(timeoutMs, parent)` of domain/deadline.ts',
  },
  {
    pattern: OPENS_TRANSACTION,
    applies: (path, text) =>
      /^api\/(?!http\/)/.test(path) &&
      inTypeScript(path) &&
      !DECLARES_OWNERSHIP.test(text) &&
      !TRANSACTIONS_BESIDE_ROUTES.has(path),
    message:
      'opens a transaction or writes the audit log beside the machinery: declare `read`, `list` or `change` (docs/howto/add-a-route.md); a route that must own its transactions says why in `ownsItsTransaction`, and a file that such a route calls stands in TRANSACTIONS_BESIDE_ROUTES',
  },
  {
    pattern: /\bdefine\w+Route\w*\s*[<(]/g,
    applies: inTypeScript,
    message:
      'declares a route beside `defineRoute`: say by `of` what it works in; what several routes share makes a declaration for it, as `analyticsRead` does',
  },
  {
    pattern: /\brunWork\s*\(/g,
    applies: (path) => /^api\/(?!http\/(front-door|run-work)\.ts$)/.test(path),
    message:
      'does the work of a route beside the front door: call `callRoute` of api/http/front-door.ts, which identifies the caller, asks the gates and checks the request first',
  },
  {
    pattern: /\bworkflowId(Conflict|Reuse)Policy\b/gi,
    // A side of the bench of peers is a user's own code, beside ours.
    applies: (path) => inShippedTypeScript(path) && !/^(temporal|bench\/peers)\//.test(path),
    message:
      'says how a workflow is started beside its start function: put the policy into temporal/<area>/, which every starter uses (`asChild` for a child)',
  },
  {
    // An array is filled once, and so is a WITH; of a subquery in the FROM only what is gathered whole is safe.
    pattern:
      /\b(IN|(?<!array_agg\(id\) )FROM|USING)\s*\(\s*SELECT\b(?:[^()]|\((?:[^()]|\([^()]*\))*\))*?\bLIMIT\b[^()]*\bSKIP LOCKED\s*\)/g,
    applies: (path) => path === 'db/schema.sql' || (/^db\/(?!migrations\/)/.test(path) && inTypeScript(path)),
    message:
      'has a bound that PostgreSQL may exceed: it may make this look again for each row of the other table, each time without the rows that it has locked; write `= ANY (ARRAY(SELECT …))` or `WITH … AS MATERIALIZED (SELECT …)`',
  },
  {
    pattern: /\bLIMIT (?::\w+|\?) OFFSET (?::\w+\b|\?)(?!\))/g,
    applies: (path) => /^db\/(?!migrations\/|page\.ts$)/.test(path) && inTypeScript(path),
    message: 'pages a list by hand: give its columns, tables, filters and order to `pageOf` of db/page.ts',
  },
  {
    pattern:
      /^(?!\s*(?:\*|\/\/|\/\*))[^\n]*?(?<=[\w)\]] )(?:\/=?(?= [\w(-]))|\b(?:Math\.(?:round|floor|ceil|trunc)|parseFloat|toFixed)\b/gm,
    applies: (path) => /^domain\/billing\/(?!exact\.ts$)/.test(path) && inTypeScript(path),
    message:
      'divides or rounds a `number` where money is counted: take `divideHalfUp` or `divideDown` of domain/billing/exact.ts',
  },
  {
    // A capital stands nowhere else: neither names nor headings hold the word.
    pattern: /\bOf\s+\S+|\bof\s+(?:before|after)\b/g,
    applies: inProse,
    message: 'must be read twice: begin with the subject, not with “Of”, and say what happened before what',
  },
  {
    pattern: /\b(anew|for ever)\b/gi,
    applies: (path) => /^(README|(docs|sdk|test)\/.*)\.md$/.test(path),
    message:
      'uses a word that readers of English meet in books: write “again”, “from the start”, “forever” or “for good”',
  },
  {
    // Goes with the first release: its workflows run in the field.
    pattern: /\b(patched|deprecatePatch)\b/g,
    applies: inShippedTypeScript,
    message:
      'keeps an old path of a workflow, and nothing of it runs in the field before the first release: change the workflow, delete its files in test/replay/histories and record them again (docs/howto/add-a-workflow.md)',
  },
  {
    pattern: /\bdebugger\b;/g,
    applies: inShippedTypeScript,
    message: 'stops in a debugger: remove it',
  },
];

export function checkStrays(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) =>
    NAMES_THE_FORBIDDEN.test(file.path) ? [] : STRAY_RULES.flatMap((rule) => applyRule(rule, file)),
  );
}

function applyRule(rule: StrayRule, file: SourceFile): Violation[] {
  if (!rule.applies(file.path, file.text)) return [];
  return [...file.text.matchAll(rule.pattern)].map((match) => ({
    path: file.path,
    line: lineAt(file.text, match.index),
    message: `${rule.message} (“${match[0]}”)`,
  }));
}

/** Entries of TRANSACTIONS_BESIDE_ROUTES that are needed no more. */
export function needlessEntries(files: readonly SourceFile[]): string[] {
  return [...TRANSACTIONS_BESIDE_ROUTES].filter((path) => {
    const text = files.find((file) => file.path === path)?.text ?? '';
    return text.search(OPENS_TRANSACTION) === -1 || DECLARES_OWNERSHIP.test(text);
  });
}
