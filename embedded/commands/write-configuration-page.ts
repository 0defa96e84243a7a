import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { renderConfigurationPage } from '../../domain/configuration/page.ts';
import { projectRoot } from '../../process/project-root.ts';

const folder = path.join(projectRoot(), 'docs', 'reference');
mkdirSync(folder, { recursive: true });
writeFileSync(path.join(folder, 'configuration.md'), renderConfigurationPage());
