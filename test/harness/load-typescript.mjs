// `node --import` this, and a thread of a test loads our .ts files as they are: newer Nodes strip the types by themselves,
// Node 20 does not. Vitest does it for its own threads only.
import { register } from 'node:module';

if (process.features.typescript === undefined || process.features.typescript === false) {
  register('./strip-types.mjs', import.meta.url);
}
