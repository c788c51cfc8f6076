import { lstatSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { errorCode, errorMessage, UsageError } from '../base/index.ts';

export interface LocalFolderOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly temporaryDir: string;
  /** The user id; undefined on systems without user ids. */
  readonly uid?: number | undefined;
}

/**
 * The folder with the kubeconfig of each running `supercargo up` of the user. Throws if another user owns it or may
 * write to it.
 */
export function openLocalFolder(options: LocalFolderOptions): string {
  return openPrivate(localPath(options), options);
}

/** The same if it exists; it is not created. */
export function findLocalFolder(options: LocalFolderOptions): string | undefined {
  const folder = localPath(options);
  return statusOf(folder) === undefined ? undefined : checkPrivate(folder, options);
}

/** A folder of the user in the temporary directory, for unpacked programs. */
export function openTemporaryFolder(options: LocalFolderOptions): string {
  return openPrivate(temporaryPath(options), options);
}

const temporaryPath = ({ temporaryDir }: LocalFolderOptions) => join(temporaryDir, `supercargo-${userInfo().username}`);

/** The user's runtime folder is in memory and is removed at logout. */
function localPath(options: LocalFolderOptions): string {
  const runtime = options.env['XDG_RUNTIME_DIR'] ?? '';
  const isUsable = isAbsolute(runtime) && problemOf(statusOf(runtime), uidOf(options)) === undefined;
  return isUsable ? join(runtime, 'supercargo') : temporaryPath(options);
}

const uidOf = ({ uid = process.getuid?.() }: LocalFolderOptions) => uid;

function openPrivate(folder: string, options: LocalFolderOptions): string {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    if (errorCode(thrown) !== 'EEXIST')
      throw new UsageError(
        'local-folder',
        `cannot use ${folder}: ${errorMessage(thrown)}; set TMPDIR to another folder`,
      );
  }
  return checkPrivate(folder, options);
}

/** Programs in it, and kubeconfigs that name programs, are executed, so no other user may write to it. */
function checkPrivate(folder: string, options: LocalFolderOptions): string {
  const problem = problemOf(statusOf(folder), uidOf(options)) ?? parentProblemOf(dirname(folder));
  if (problem === undefined) return folder;
  throw new UsageError('local-folder', `${folder} ${problem}; remove it, or set TMPDIR to a folder of your own`);
}

function problemOf(status: Stats | undefined, uid: number | undefined): string | undefined {
  if (!status?.isDirectory()) return 'is not a folder';
  if (uid === undefined) return undefined;
  if (status.uid !== uid) return `belongs to another user (${status.uid})`;
  return (status.mode & 0o077) === 0 ? undefined : 'is open to other users';
}

/** A user with write access to the parent could replace the folder, unless the sticky bit is set, as on /tmp. */
function parentProblemOf(parent: string): string | undefined {
  const { mode } = statSync(parent);
  const isWindows = process.getuid === undefined;
  return isWindows || (mode & 0o022) === 0 || (mode & 0o1000) !== 0
    ? undefined
    : 'is in a folder that other users may write to';
}

/** Not through a symbolic link: its target may be under another user's control. */
function statusOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
