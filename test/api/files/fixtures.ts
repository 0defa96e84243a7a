import type { RouteFixtures } from '../suites/fixture.ts';
import { nothing } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';
import { invoice, multipart, presign, presignedIn, put, putRequest, sha256Of, upload } from './support.ts';

const CONTENT = 'an invoice';
const promised = {
  filename: 'invoice.pdf',
  contentType: 'application/pdf',
  size: CONTENT.length,
  sha256: sha256Of(CONTENT),
};

const stored = async ({ api, key }: World): Promise<FixtureRequest> => ({
  params: { fileId: (await upload(api, key)).id },
});

export const fixtures: RouteFixtures = {
  'files.list': { request: nothing, plantRow: ({ api, key }) => upload(api, key) },
  'files.upload': {
    request: () => Promise.resolve(multipart([invoice(), { name: 'purpose', content: 'billing' }])),
  },
  'files.presign': { request: () => Promise.resolve({ body: promised }) },
  'files.content': {
    request: async ({ api, key }) => putRequest(presignedIn(await presign(api, key, promised)), CONTENT),
  },
  'files.confirm': {
    request: async ({ api, key }) => {
      const target = presignedIn(await presign(api, key, promised));
      await put(api, target, CONTENT);
      return { params: { fileId: target.fileId } };
    },
  },
  'files.get': { request: stored },
  'files.download': { request: stored },
  'files.delete': { request: stored },
};
