// `npm run test:faults`: test/faults in full, with every seed and every repetition. `npm test` runs its short form.
process.env.FAULTS = 'full';
process.argv.splice(2, 0, 'test/faults');
await import('../../embedded/test.mjs');
