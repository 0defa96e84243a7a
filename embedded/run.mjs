// `node embedded/run.mjs <file of dist> [arguments]`: builds where that is needed, then runs the file in this very process.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepareOrExit, root } from './prepare.mjs';

const [file] = process.argv.splice(2, 1);
if (file === undefined) throw new Error('run.mjs wants the file to run, relative to dist');
prepareOrExit();
const target = path.join(root, 'dist', file);
process.argv[1] = target; // as if node had been given the file: modules tell by it that they are the program
await import(pathToFileURL(target).href);
