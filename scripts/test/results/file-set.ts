import { createHash } from 'node:crypto'

/** The files of a checkout. Paths are relative, with slashes. */
export interface ProjectFiles {
  readonly paths: readonly string[]
  has(path: string): boolean
  /** Whether some file is below the folder. */
  hasFolder(path: string): boolean
  text(path: string): string
  /** A digest of the content. */
  digest(path: string): string
}

export function projectFiles(
  paths: readonly string[],
  read: (path: string) => Buffer,
): ProjectFiles {
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
