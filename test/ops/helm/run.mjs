// `npm run test:chart`: the chart under Helm and kubeconform, which it compiles where they are not at hand. `npm test` compiles neither.
process.env.CHART = 'compile';
process.argv.splice(2, 0, 'test/ops/helm');
await import('../../../embedded/test.mjs');
