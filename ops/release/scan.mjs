// `npm run scan`: asks the registry for advisories about the packages at run time. Exit code 0: none of a high or critical severity; 1:
// there are some; 2: the registry did not answer, so that nothing is known.
import { spawnSync } from 'node:child_process';
import { ROOT } from './run.mjs';

const GRAVE = ['high', 'critical'];

const { stdout, error } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { cwd: ROOT, encoding: 'utf8' });
const { code, lines } = judged(stdout ?? '', error?.message);
process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = code;

function judged(text, failure) {
  const report = parsed(text);
  if (report?.vulnerabilities === undefined) {
    const why = failure ?? report?.message ?? 'npm audit said nothing';
    return {
      code: 2,
      lines: [`Nothing was scanned: the registry gave no advisories (${why}).`, 'Run it where it does.'],
    };
  }
  const found = Object.values(report.vulnerabilities);
  const lines = found.map(({ name, severity, range }) => `${severity}: ${name} ${range}`);
  const grave = found.filter(({ severity }) => GRAVE.includes(severity)).length;
  const total = report.metadata?.dependencies?.prod ?? 'all';
  lines.push(`${found.length} advisories, ${grave} of them high or critical, for ${total} packages.`);
  return { code: grave > 0 ? 1 : 0, lines };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
