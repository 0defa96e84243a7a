// `npm run release -- --dry-run`: everything that a release consists of, in .cache/release/<version>. It publishes nothing: what is done
// by hand is on docs/releasing.md. Without --dry-run the changelog has to have the date of the release.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chart, image, npmPackages, pythonPackages } from './artifacts.mjs';
import { main, ReleaseError, ROOT, run } from './run.mjs';
import { sbom } from './sbom.mjs';
import { disagreements, notesOf, versionsOf } from './versions.mjs';

const say = (line) => process.stdout.write(`${line}\n`);

/** Throws where the tree is not a commit, versions disagree, or a release has no date. Returns version and notes. */
export function refuseUnfit(root, isDryRun) {
  const changed = run('git', ['status', '--porcelain'], { cwd: root }).trimEnd();
  if (changed !== '') throw new ReleaseError(`Commit first. These files differ from the last commit:\n${changed}`);
  const versions = versionsOf(root);
  const different = disagreements(versions);
  if (different.length > 0) throw new ReleaseError(`The versions disagree:\n${different.join('\n')}`);
  const version = versions['package.json'];
  const { notes, isDated } = notesOf(readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'));
  if (notes === '') throw new ReleaseError(`CHANGELOG.md says nothing about ${version}.`);
  if (!isDated && !isDryRun)
    throw new ReleaseError(`CHANGELOG.md has no date for ${version}: write "## ${version} (YYYY-MM-DD)".`);
  return { version, notes };
}

/** A line for each file of a folder, as sha256sum writes and checks them. */
export function checksumsOf(folder) {
  const lines = readdirSync(folder)
    .filter((name) => name !== 'SHA256SUMS')
    .toSorted()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(path.join(folder, name)))
          .digest('hex')}  ${name}`,
    );
  return `${lines.join('\n')}\n`;
}

async function release(args) {
  const isDryRun = args.includes('--dry-run');
  if (args.some((arg) => arg !== '--dry-run')) throw new ReleaseError('Usage: npm run release -- [--dry-run]');
  const { version, notes } = refuseUnfit(ROOT, isDryRun);
  const folder = path.join(ROOT, '.cache', 'release', version);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const missing = [];
  for (const [what, make] of Object.entries({
    'npm packages': npmPackages,
    'Python packages': pythonPackages,
    chart,
    image,
  })) {
    say(`Making the ${what} …`);
    const lacks = make(folder, version);
    if (lacks !== null) missing.push(`${what}: ${lacks}`);
  }
  writeFileSync(path.join(folder, 'sbom.cdx.json'), sbom());
  writeFileSync(path.join(folder, 'notes.txt'), `${notes}\n`);
  writeFileSync(path.join(folder, 'SHA256SUMS'), checksumsOf(folder));
  say(`\n${version} is in ${path.relative(ROOT, folder)}:\n${checksumsOf(folder)}`);
  for (const line of missing) say(`Not made: ${line}`);
  if (missing.length > 0 && !isDryRun) throw new ReleaseError('Not everything was made. Make it where the tools are.');
  say('Nothing is published. docs/releasing.md says what is done by hand.');
}

if (import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) await main(release);
