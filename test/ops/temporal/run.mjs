// `npm run test:temporal`: the service on Temporal's own server, which it compiles where it is not at hand. `npm test` does not.
process.env.TEMPORAL_SERVER = 'compile';
process.argv.splice(2, 0, 'test/ops/temporal');
await import('../../../embedded/test.mjs');
