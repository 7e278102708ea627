import { GitError } from '../git-error.ts'

/** Names that some file system takes for `.git`: case, a short name, a stream, blanks and dots at the end. */
const gitDirectoryName = /^(\.git|git~1)[. ]*(:.*)?$/i

/** HFS+ ignores these inside a name. */
const ignoredCharacters = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** Why a path cannot be written, or undefined. What is refused here never reaches a repository. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'it is empty'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f\\]/.test(path)) return 'it contains a control character or a backslash'
  if (!path.isWellFormed()) return 'it is not well-formed text'
  for (const segment of path.split('/')) {
    if (segment === '') return 'it has an empty segment'
    if (segment === '.' || segment === '..') return 'it has the segment . or ..'
    if (gitDirectoryName.test(segment.replace(ignoredCharacters, '')))
      return 'it has a segment that Git reserves'
    if (Buffer.byteLength(segment) > 255) return 'it has a segment longer than 255 bytes'
  }
  return undefined
}

/** A folder's path without slashes around it; the root, which people write as `.`, is the empty text. */
export function folderPath(path: string): string {
  const tidy = path.replace(/^\/+|\/+$/g, '')
  if (tidy === '' || tidy === '.') return ''
  const problem = pathProblem(tidy)
  if (problem !== undefined)
    throw new GitError('refused', `the folder ${tidy} is not allowed: ${problem}`)
  return tidy
}
