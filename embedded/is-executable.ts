import { accessSync, constants } from 'node:fs';

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // missing or not executable: the next place is tried
  }
}
