import path from 'node:path';
import { bundleWorkflows } from '../bundle-workflows.ts';
import { projectRoot } from '../../process/project-root.ts';

/** The second half of `npm run build`: makes the bundle that the worker loads, so that it need not bundle at its start. */
await bundleWorkflows(path.join(projectRoot(), 'dist', 'workflow-bundle.js'));
