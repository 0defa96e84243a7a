// `npm run sbom`: what the service is made of, in CycloneDX, on standard output.
import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { main, ROOT, run } from './run.mjs';

const DEVELOPMENT = 'cdx:npm:package:development';

/**
 * The packages at run time, with their versions, licences and hashes, from the lock file. npm 11 names the application after its folder;
 * and with `--omit=dev` it leaves out each package that a development dependency needs as well, so that they are sorted out here.
 */
export function sbom() {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const bom = JSON.parse(run('npm', args));
  const { name } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  bom.metadata.component.name = name;
  const isForDevelopment = ({ properties = [] }) =>
    properties.some((property) => property.name === DEVELOPMENT && property.value === 'true');
  const dropped = new Set(bom.components.filter(isForDevelopment).map((component) => component['bom-ref']));
  bom.components = bom.components.filter((component) => !dropped.has(component['bom-ref']));
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => !dropped.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => !dropped.has(one)) }));
  return `${JSON.stringify(bom, null, 2)}\n`;
}

if (import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href)
  await main(() => process.stdout.write(sbom()));
