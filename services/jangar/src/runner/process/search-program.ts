import { stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

export interface ProgramSearch {
  readonly isFound: boolean
  /** Folders of the search path that the user of this process cannot enter. */
  readonly closedFolders: readonly string[]
}

/**
 * Searches for a program as exec does. exec itself reports a program that no folder holds as EACCES if it cannot enter
 * one of the folders, which looks like a program that exists.
 */
export async function searchProgram(
  name: string,
  searchPath: string,
  statFile: (path: string) => Promise<{ isFile(): boolean }> = stat,
): Promise<ProgramSearch> {
  const closedFolders: string[] = []
  for (const folder of searchPath.split(delimiter)) {
    try {
      if ((await statFile(join(folder, name))).isFile()) return { isFound: true, closedFolders }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EACCES') closedFolders.push(folder)
    }
  }
  return { isFound: false, closedFolders }
}
