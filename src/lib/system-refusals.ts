/** Descriptions of the system's error codes for files and folders. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a file has this name',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'it is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ELOOP: 'its symbolic links form a circle',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
  EBUSY: 'it is in use',
  EIO: 'the disk has an error',
};

/** Why the system refuses a file, in words or by its code; null if the error does not come from the system. */
export function refusalInWords(error: unknown): string | null {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code === undefined || syscall === undefined ? null : (reasons[code] ?? code);
}

/** What to do about a file or folder that this user may not use; empty if the reason says enough. */
export function refusalRemedy(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'Run this as its owner, or give this user access to it.';
  return code === 'EROFS' ? 'Choose another folder, or mount its file system for writing.' : '';
}
