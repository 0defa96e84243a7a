import { afterAll } from 'vitest';
import { closeWhatIsOpen } from './closes-with-file.ts';

// Vitest runs this file before each test file. Something is open already where the file before could not be loaded.
await closeWhatIsOpen();
afterAll(closeWhatIsOpen);
