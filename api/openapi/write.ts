import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generatedDocuments } from './documents.ts';

/** Writes below the working directory, which npm sets to the project's root. */
for (const [file, text] of Object.entries(generatedDocuments())) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  process.stdout.write(`${file}\n`);
}
