import path from 'node:path';
import { bundleWorkflows } from '../bundle-workflows.ts';
import { projectRoot } from '../project-root.ts';

/** The second half of `npm run build`: what the worker loads instead of bundling at its start. */
await bundleWorkflows(path.join(projectRoot(), 'dist', 'workflow-bundle.js'));
