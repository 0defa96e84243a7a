// Node looks for the package beside this file, and not beside the compiled bench.
export { createEndpointHandler, service, TerminalError } from '@restatedev/restate-sdk';
