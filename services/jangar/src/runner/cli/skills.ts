import { copyFile, mkdir, readdir, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'

/** A skill of the agent, and the folder that holds its files. */
export interface SkillFolder {
  readonly name: string
  readonly mounted: string
  /** Whether it was fetched from a repository: it has folders, and no links. */
  readonly isFetched?: boolean
}

/**
 * Creates a folder of skills. The files are copied, since a mounted ConfigMap consists of links that not every CLI
 * follows. Skills of the folder `beside` are linked to, unless they have the name of another.
 */
export async function writeSkills(
  folder: string,
  skills: readonly SkillFolder[],
  beside?: string,
): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const names = skills.map(({ name }) => name)
  const found = beside === undefined ? [] : await readdir(beside).catch(() => [])
  for (const name of found) {
    if (!names.includes(name)) await symlink(join(beside ?? '', name), join(folder, name))
  }
  for (const { name, mounted, isFetched } of skills) {
    await (isFetched ? copyTree : copyFiles)(mounted, join(folder, name))
  }
}

/** Links are not copied, and not followed. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [path, copy] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyTree(path, copy)
    else if (entry.isFile()) await copyFile(path, copy)
  }
}

async function copyFiles(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  for (const name of await readdir(from)) {
    // The kubelet keeps the content in hidden folders that begin so. Keys of a ConfigMap cannot.
    if (name.startsWith('..')) continue
    const path = join(from, name)
    if ((await stat(path)).isFile()) await copyFile(path, join(to, name))
  }
}
