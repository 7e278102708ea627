import { constants } from 'node:fs'
import { lstat, mkdir, open, realpath, rm } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { podPaths } from '../../run-contract/pod-paths.ts'

/**
 * Resolves a path in the workspace. `/workspace/x` and `x` are the same; undefined if the path leads outside.
 */
export function inWorkspace(root: string, path: string): string | undefined {
  const inside = resolve(root, localPath(root, path))
  return isWithin(root, inside) && !path.includes('\0') ? inside : undefined
}

/** Resolves a path on this machine: a path below `/workspace` is moved below the real workspace. */
export function localPath(root: string, path: string, from: string = root): string {
  if (isWithin(podPaths.workspace, path) && !isWithin(root, path))
    return join(root, relative(podPaths.workspace, path))
  return isAbsolute(path) ? resolve(path) : resolve(from, path)
}

function isWithin(folder: string, path: string): boolean {
  const normal = resolve(path)
  return isAbsolute(path) && (normal === folder || normal.startsWith(`${folder}${sep}`))
}

/**
 * Writes a file inside the workspace, its folders included. A link that leads out of the workspace is not followed:
 * a repository may hold one. The path must come from inWorkspace.
 */
export async function writeInWorkspace(root: string, path: string, content: string): Promise<void> {
  await makeFolders(root, dirname(path))
  // Left by the program of an earlier run in the workspace, it would be waited for.
  if ((await lstat(path).catch(() => undefined))?.isFIFO() === true) await rm(path)
  const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants
  const file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, 0o644)
  try {
    await file.writeFile(content)
  } finally {
    await file.close()
  }
}

async function makeFolders(root: string, folder: string): Promise<void> {
  const realRoot = await realpath(root)
  let at = root
  for (const name of relative(root, folder).split(sep).filter(Boolean)) {
    at = join(at, name)
    await mkdir(at).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
      if ((await lstat(at)).isSymbolicLink() && !isWithin(realRoot, await realpath(at))) {
        throw new Error(`${relative(root, at)} is a link that leads out of the workspace`)
      }
    })
  }
}
