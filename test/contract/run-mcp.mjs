// `npm run test:mcp`: the protocol's own conformance suite, against a service that it starts itself.
process.env.MCP_CONFORMANCE = '1';
process.argv.splice(2, 0, 'test/contract/mcp-conformance');
await import('../../embedded/test.mjs');
