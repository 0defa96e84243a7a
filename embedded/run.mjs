// `node embedded/run.mjs <file of dist> [arguments]`: builds if needed, then runs the file in this process.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepareOrExit, root } from './prepare.mjs';

const [file] = process.argv.splice(2, 1);
if (file === undefined) throw new Error('run.mjs wants the file to run, relative to dist');
await prepareOrExit();
const target = path.join(root, 'dist', file);
process.argv[1] = target; // as if node had started the file: a module compares it to know whether it is the main program
await import(pathToFileURL(target).href);
