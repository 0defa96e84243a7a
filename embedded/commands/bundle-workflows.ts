import path from 'node:path';
import { bundleWorkflows } from '../bundle-workflows.ts';
import { projectRoot } from '../../process/project-root.ts';

/** Part of `npm run build`: the worker loads this bundle instead of bundling at its start. */
await bundleWorkflows(path.join(projectRoot(), 'dist', 'workflow-bundle.js'));
