import { execFileSync } from 'node:child_process'
import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type ProjectFiles, projectFiles } from './file-set.ts'

/** With uncommitted changes, without what git ignores. */
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
