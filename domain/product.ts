/**
 * The product's one name and version, those of package.json and README.md. The major number is that of the API's path
 * (docs/versioning.md). `test/architecture/product.test.ts` holds everything that shows them to it.
 */
export const PRODUCT = { name: 'Agent action runtime', id: 'agent-action-runtime', version: '2.0.0' } as const;

/**
 * The User-Agent of requests that an adapter makes: some providers turn away a caller that does not name itself. It has no version: the
 * header is part of a previewed request, and an upgrade must not change what a person has agreed to.
 */
export const USER_AGENT = PRODUCT.id;
