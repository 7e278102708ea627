import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type SkillFolder, writeSkills } from './skills.ts'

/** A file of a home folder: its content, or the file that it is a link to. */
export type HomeFile = { readonly content: string } | { readonly linkTo: string }

interface HomeOptions {
  readonly folder: string
  /** The folder that the environment names, perhaps a mounted Secret. Everything else in it is linked to. */
  readonly from: string | undefined
  readonly files: Readonly<Record<string, HomeFile>>
  /** Added to those in `from`. */
  readonly skills: readonly SkillFolder[]
}

/** Where Codex, Claude Code and Gemini CLI look for skills in their folder. */
const skillsFolder = 'skills'

/**
 * Creates the configuration folder of a CLI. Links instead of copies keep Secrets out of the workspace, which may be a
 * volume that outlives the run.
 */
export async function createHome({ folder, from, files, skills }: HomeOptions): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = from === undefined ? [] : await readdir(from).catch(() => [])
  for (const name of found) {
    if (name === skillsFolder && skills.length > 0) continue
    if (!Object.hasOwn(files, name)) await symlink(join(from ?? '', name), join(folder, name))
  }
  for (const [name, file] of Object.entries(files)) {
    const path = join(folder, name)
    if ('linkTo' in file) await symlink(file.linkTo, path)
    else await writeFile(path, file.content, { mode: 0o600 })
  }
  if (skills.length === 0) return
  const beside = from === undefined ? undefined : join(from, skillsFolder)
  await writeSkills(join(folder, skillsFolder), skills, beside)
}

/** Undefined if the file does not exist. */
export async function readIfFile(path: string): Promise<string | undefined> {
  const entry = await lstat(path).catch(() => undefined)
  return entry === undefined ? undefined : await readFile(path, 'utf8').catch(() => undefined)
}
