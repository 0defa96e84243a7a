/** The Worker Deployment of all workers of an installation, which has a namespace of its own. Its versions are build ids. */
export const WORKER_DEPLOYMENT = 'agent-actions';
