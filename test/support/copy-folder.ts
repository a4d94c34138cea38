import { execFileSync } from 'node:child_process';

/** Copies a folder with owners and rights: as root, PostgreSQL runs as another user. */
export function copyFolder(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}
