import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { listActions, showAction } from './commands/actions.ts';
import { approve, deny, watchApprovals } from './commands/approvals.ts';
import { LISTED, listEffects, showEffect } from './commands/effects.ts';
import { invoke } from './commands/invoke.ts';
import { login } from './commands/login.ts';
import { showLogs } from './commands/logs.ts';
import { applyPolicies, planPolicies, testPolicies } from './commands/policies.ts';
import { noteEffect, reconcileEffect, replayEffect, resolveOutcome } from './commands/resolving.ts';
import { EXIT, UsageError, type ExitCode } from './exit.ts';
import { reportFailure } from './failures.ts';
import type { Login } from './session.ts';
import type { Terminal } from './terminal.ts';

const WAIT_SECONDS = 30;
const WAIT_SECONDS_MAX = 86_400;
const EXIT_CODES = `
Exit codes: 0 done; 1 refused, or what was checked does not hold; 2 the command line, a file or the sign-in is not right;
3 it waits for somebody or is under way; 4 its outcome is unknown: do not run it again; 5 no reply.`;

const PAGE_MAX = 1_000_000;
const RESOLVE_HELP = `
The id is a receipt's (eff_…), or that of an invocation of an action that is not governed (inv_…). For example:
  agent-actions effects list --outcome unknown
  agent-actions effects resolve eff_… --outcome succeeded --summary "The dashboard shows the refund re_1." --provider-id refund=re_1`;

type Work = (terminal: Terminal) => Promise<ExitCode>;

export async function runProgram(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let work: Work | null = null;
  const isJson = argv.includes('--json');
  let login: Login = {};
  const program = commands((chosen) => void (work = chosen), terminal, isJson);
  program.hook('preAction', (_program, command) => void (login = command.opts<Login>()));
  try {
    await program.parseAsync([...argv], { from: 'user' });
    // Commander printed the requested help.
    if (work === null) return EXIT.usage;
    return await (work as Work)(terminal);
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.ok;
      // Commander printed it, but not as JSON.
      if (isJson) return reportFailure(new UsageError(error.message), terminal, true);
      return EXIT.usage;
    }
    return reportFailure(error, terminal, isJson, login);
  }
}

function commands(choose: (work: Work) => void, terminal: Terminal, isJson: boolean): Command {
  const program = new Command('agent-actions')
    .description('Invoke actions, decide approvals, read receipts, keep policies in files.')
    .addHelpText('after', EXIT_CODES)
    .showHelpAfterError('(see agent-actions --help)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => (isJson ? undefined : terminal.printError(text.trimEnd())),
    });
  const add = (parent: Command, name: string, description: string): Command =>
    parent
      .command(name)
      .description(description)
      .option('--json', 'answer JSON, for programs')
      .option('--profile <name>', 'the login to use', 'default')
      .option('--base-url <url>', 'where the service is, in place of BASE_URL');
  addLogin(add, program, choose);
  addInvoking(add, program, choose);
  addEffects(add, program, choose);
  addApprovals(add, program, choose);
  addPolicies(add, program, choose);
  return program;
}

type Add = (parent: Command, name: string, description: string) => Command;
type Choose = (work: Work) => void;

function addLogin(add: Add, program: Command, choose: Choose): void {
  add(program, 'login', 'keep an address and a key, in a file that only you can read')
    .option('--stack <file>', 'take both from the credentials.json of npm start')
    .option('--environment <kind>', 'of that file: development, staging or production', 'development')
    .option('--key-name <name>', 'of that file: agent, full_access, standard or all_scopes', 'full_access')
    .action((options) => choose((terminal) => login(options, terminal)));
}

function addInvoking(add: Add, program: Command, choose: Choose): void {
  const actions = program.command('actions').description('what can be invoked');
  add(actions, 'list', 'every action that the key can see')
    .option('--name <name>', 'exactly this one')
    .action((options) => choose((terminal) => listActions(options, terminal)));
  add(actions, 'show <action>', 'one action: its input, what it moves, how its outcome is found out').action(
    (action: string, options) => choose((terminal) => showAction(action, options, terminal)),
  );
  add(program, 'invoke <action>', 'invoke an action, once')
    .option('--input <json>', 'its input')
    .option('--input-file <file>', 'its input from a file; - is the standard input')
    .option('--operation-key <key>', 'names the operation: the same command again is the same invocation')
    .option('--idempotency-key <key>', 'the key of a command that got no reply')
    .option('--preview <id>', 'exactly what this preview shows, or nothing')
    .option('--retry-of <id>', 'the earlier invocation that this one repeats')
    .option('--agent <id>', 'who asks, for policies and filters')
    .option('--wait <seconds>', 'for its end', seconds, WAIT_SECONDS)
    .option('--dry-run', 'say what would happen, and do nothing')
    .action((action: string, options) => choose((terminal) => invoke(action, options, terminal)));
  add(program, 'logs', 'what was invoked, newest first')
    .option('--action <ref>', 'only this action')
    .option('--status <status>', 'only this status')
    .option('--grade <grade>', 'only this grade')
    .option('--limit <count>', 'how many', count, 20)
    .option('--invocation <id>', 'this one, after waiting for its end')
    .option('--wait <seconds>', 'for its end', seconds, 0)
    .action((options) => choose((terminal) => showLogs(options, terminal)));
}

function addEffects(add: Add, program: Command, choose: Choose): void {
  const effects = program.command('effects').description('receipts, and outcomes that nobody saw');
  add(effects, 'list', 'receipts, newest first')
    .option('--grade <grade>', 'only this grade, such as unknown')
    .option('--stage <stage>', 'only this stage, such as reconciling')
    .option('--outcome <outcome>', 'only this outcome, such as unknown')
    .option('--action <name>', 'only of this action')
    .option('--limit <count>', 'how many', (text) => integer(text, LISTED.rowsMax, 1), LISTED.rows)
    .option('--page <number>', 'which of the pages of so many', (text) => integer(text, PAGE_MAX, 1), 1)
    .action((options) => choose((terminal) => listEffects(options, terminal)));
  add(effects, 'show <id>', 'a receipt, its hash chain checked on this machine').action((id: string, options) =>
    choose((terminal) => showEffect(id, options, terminal)),
  );
  add(effects, 'reconcile <id>', 'read the provider now; nothing is sent again').action((id: string, options) =>
    choose((terminal) => reconcileEffect(id, options, terminal)),
  );
  add(effects, 'note <id> <text>', 'add a note to the evidence; it changes no outcome').action(
    (id: string, text: string, options) => choose((terminal) => noteEffect(id, text, options, terminal)),
  );
  add(effects, 'resolve <id>', 'record for good what you found at the provider; the key that asked for it may not')
    .addOption(
      new Option('--outcome <outcome>', 'what became of it').choices(['succeeded', 'failed']).makeOptionMandatory(),
    )
    .requiredOption('--summary <text>', 'how you know')
    .addOption(
      new Option(
        '--partial-effect <which>',
        'what a failure left behind all the same; needed where something may have been sent',
      ).choices(['none', 'possible', 'confirmed']),
    )
    .option('--settled-impact <json>', 'what it really used, a list as in the receipt; the rest is given back')
    .option('--provider-id <name=id>', "a record of the provider's; may be repeated", several)
    .option('--url <url>', 'where it can be looked up')
    .addHelpText('after', RESOLVE_HELP)
    .action((id: string, options) => choose((terminal) => resolveOutcome(id, options, terminal)));
  add(
    effects,
    'replay <id>',
    'send the same request again under the same idempotency key, where the adapter declares that it may be',
  ).action((id: string, options) => choose((terminal) => replayEffect(id, options, terminal)));
}

function addApprovals(add: Add, program: Command, choose: Choose): void {
  const approvals = program.command('approvals').description('what waits for a person');
  add(approvals, 'watch', 'show what waits for a decision, as it comes')
    .option('--once', 'only what there is now')
    .action((options) => choose((terminal) => watchApprovals(options, terminal)));
  add(approvals, 'approve <id>', 'show exactly what would be sent, with its digest, and agree to that')
    .option('--digest <sha256>', 'the digest that you read: agree without being asked')
    .option('--note <text>', 'kept with the decision')
    .action((id: string, options) => choose((terminal) => approve(id, options, terminal)));
  add(approvals, 'deny <id>', 'one denial ends it')
    .requiredOption('--note <text>', 'why')
    .action((id: string, options) => choose((terminal) => deny(id, options, terminal)));
}

function addPolicies(add: Add, program: Command, choose: Choose): void {
  const policies = program.command('policies').description('approval policies that are kept in files');
  add(policies, 'plan <folder>', 'what the files would change')
    .option('--prune', 'delete the policies that no file names')
    .option('--check', 'end with 1 where the plan would change something')
    .option('--strict', 'end with 1 where the plan has a warning')
    .action((folder: string, options) => choose((terminal) => planPolicies(folder, options, terminal)));
  add(policies, 'apply [folder]', 'apply a folder, or the plan that you looked at')
    .option('--prune', 'delete the policies that no file names')
    .option('--plan <id>', 'this plan')
    .option('--digest <sha256>', 'its digest')
    .option('--strict', 'change nothing where the plan has a warning')
    .action((folder: string | undefined, options) => choose((terminal) => applyPolicies(folder, options, terminal)));
  add(policies, 'test <folder>', 'ask the policies of the files about their fixtures').action(
    (folder: string, options) => choose((terminal) => testPolicies(folder, options, terminal)),
  );
}

function seconds(text: string): number {
  return integer(text, WAIT_SECONDS_MAX, 0);
}

function count(text: string): number {
  return integer(text, 10_000, 1);
}

function several(text: string, earlier: readonly string[] = []): string[] {
  return [...earlier, text];
}

function integer(text: string, max: number, min: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new InvalidArgumentError(`It is an integer from ${min} to ${max}.`);
  return value;
}
