/**
 * The product's one name and version, those of package.json and README.md. The major number is that of the API's path
 * (docs/versioning.md). `test/architecture/product.test.ts` holds everything that shows them to it.
 */
export const PRODUCT = { name: 'Agent action runtime', id: 'agent-action-runtime', version: '2.0.0' } as const;

/** Some providers reject callers without one. No version: it is part of previews, which an upgrade must not change. */
export const USER_AGENT = PRODUCT.id;
