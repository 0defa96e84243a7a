// `npm run test:faults`: the tests of faults in full, with every seed and every repetition. `npm test` runs their short form.
process.env.FAULTS = 'full';
process.argv.splice(2, 0, 'test/faults', 'test/db/budgets/hot-budget');
await import('../../embedded/test.mjs');
