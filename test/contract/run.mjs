// `npm run test:contract`: the long form of test/contract, against a service that it starts itself. It needs Python 3.11.
process.env.CONTRACT = 'long';
process.argv.splice(2, 0, 'test/contract');
await import('../../embedded/test.mjs');
