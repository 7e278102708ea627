import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** The files of the checkout that git does not ignore, with uncommitted changes. Paths are relative, with slashes. */
export interface ProjectFiles {
  readonly paths: readonly string[]
  has(path: string): boolean
  /** Whether some file is below the folder. */
  hasFolder(path: string): boolean
  text(path: string): string
  /** A digest of the content. */
  digest(path: string): string
}

export function readProjectFiles(root: string): ProjectFiles {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const output = execFileSync('git', list, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const listed = new Set(output.split('\0').filter((path) => path !== ''))
  const read = (path: string) => contentOf(join(root, path))
  // A file that is deleted and not committed is still listed.
  const paths = [...listed].filter((path) => read(path) !== undefined).toSorted()
  return projectFiles(paths, (path) => read(path) ?? Buffer.alloc(0))
}

/** For tests: files by their path. */
export function projectFilesOf(files: Readonly<Record<string, string>>): ProjectFiles {
  return projectFiles(Object.keys(files).toSorted(), (path) => Buffer.from(files[path] ?? ''))
}

function projectFiles(paths: readonly string[], read: (path: string) => Buffer): ProjectFiles {
  const known = new Set(paths)
  const folders = new Set(paths.flatMap(foldersAbove))
  return {
    paths,
    has: (path) => known.has(path),
    hasFolder: (path) => folders.has(path),
    text: (path) => read(path).toString('utf8'),
    digest: (path) => createHash('sha256').update(read(path)).digest('hex'),
  }
}

function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** The bytes of a file, or the target of a link, with the bit that makes a file a program. */
function contentOf(path: string): Buffer | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || stat.isDirectory()) return undefined
  if (stat.isSymbolicLink()) return Buffer.from(`link to ${readlinkSync(path)}`)
  const isProgram = (stat.mode & 0o100) !== 0
  return isProgram
    ? Buffer.concat([Buffer.from('program '), readFileSync(path)])
    : readFileSync(path)
}
