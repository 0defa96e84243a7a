import type { AdapterDescriptor } from './adapter-descriptor.ts';
import { githubIssueCommentDescriptor } from './github-issue-comment.ts';
import { httpRequestDescriptor } from './http-request.ts';
import { resendEmailDescriptor } from './resend-email.ts';
import { stripeRefundDescriptor } from './stripe-refund.ts';

/** Every adapter by type, the newest version of each first. */
export const ADAPTER_DESCRIPTORS: readonly AdapterDescriptor[] = [
  httpRequestDescriptor,
  stripeRefundDescriptor,
  resendEmailDescriptor,
  githubIssueCommentDescriptor,
];

export function findDescriptor(type: string, version?: string): AdapterDescriptor | undefined {
  return ADAPTER_DESCRIPTORS.find(
    (descriptor) => descriptor.type === type && (version === undefined || descriptor.version === version),
  );
}

/** The descriptor that a stored version names. Throws where no such adapter is built in: the version could not be run. */
export function adapterDescriptor(type: string, version: string): AdapterDescriptor {
  const descriptor = findDescriptor(type, version);
  if (descriptor === undefined) throw new Error(`no adapter ${type} of version ${version}`);
  return descriptor;
}
