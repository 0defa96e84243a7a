import type { Tenant } from '../../db/client.ts';
import type { LinkSigner } from '../../db/secrets/vault.ts';

export interface SignedUpload extends Tenant {
  fileId: string;
  expiresAt: Date;
}

const PURPOSE = 'file upload';

/** Path to PUT one file until it expires. It names the owner, so that a forged path costs no query. */
export function signedPath(links: LinkSigner, upload: SignedUpload): string {
  const { workspaceId, environmentId, fileId, expiresAt } = upload;
  const query = new URLSearchParams({
    workspace: workspaceId,
    environment: environmentId,
    expires: String(expiresAt.getTime()),
    signature: links.sign(PURPOSE, textOf(upload)),
  });
  return `/api/v2/files/${fileId}/content?${query.toString()}`;
}

export function isSigned(links: LinkSigner, upload: SignedUpload, signature: string): boolean {
  return links.verify(PURPOSE, textOf(upload), signature);
}

const textOf = ({ workspaceId, environmentId, fileId, expiresAt }: SignedUpload): string =>
  ['PUT', workspaceId, environmentId, fileId, expiresAt.getTime()].join('\n');
