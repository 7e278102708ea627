import { mkdir } from 'node:fs/promises'
import { RunFailure } from '../../run-contract/run-failure.ts'
import { skillFile } from '../../run-contract/skill.ts'
import type { PlannedSkill } from '../../run-contract/skills-plan.ts'
import type { GitPlace } from '../publisher/git-output.ts'
import { branchRef, checkBranchNames, commitId } from '../vcs/branch-names.ts'
import type { Git } from '../vcs/git.ts'
import { listRemoteRefs } from '../vcs/remote-refs.ts'
import { type SkillEntry, skillEntries } from './skill-entries.ts'
import { writeSkillFiles } from './write-skill-files.ts'

const fetchedRef = 'refs/agents/skill'

/** Fetches one commit and writes the files of the skill. Returns the id of the commit. */
export async function fetchSkill(
  git: Git,
  { url, ref, path = '' }: PlannedSkill,
  place: GitPlace,
  folder: string,
): Promise<string> {
  await mkdir(place.gitFolder, { recursive: true })
  await mustRun(git, ['init', '--quiet', '--bare', '--initial-branch=main'])
  // One file, whose size the kernel limits, and large objects are not read into memory.
  await mustRun(git, ['config', 'fetch.unpackLimit', '1'])
  await mustRun(git, ['config', 'core.bigFileThreshold', '16m'])
  const wanted = await refOf(git, url, ref)
  const options = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-auto-gc', '--depth=1']
  const fetched = await git.talk(url, ['fetch', ...options, '--', url, `+${wanted}:${fetchedRef}`])
  if (fetched.code !== 0) throw unavailable(`cannot fetch ${ref} from ${url}: ${fetched.errorText}`)
  const commit = await objectOf(git, `${fetchedRef}^{commit}`)
  if (commit === undefined) throw unavailable(`${ref} in ${url} is not a commit`)
  const shown = path === '' ? 'the root of the repository' : path
  const tree = await objectOf(git, `${commit}:${path}`)
  const entries = tree === undefined ? undefined : await skillEntries(git, tree)
  if (entries === undefined) throw unavailable(`${url} has no folder ${shown} at ${ref}`)
  if (!hasSkillFile(entries)) throw unavailable(`${shown} in ${url} has no file ${skillFile}`)
  await writeSkillFiles(place, entries, folder)
  return commit
}

function hasSkillFile(entries: readonly SkillEntry[]): boolean {
  return entries.some(({ path }) => path === skillFile)
}

/** The full name of a branch or tag, or the commit. */
async function refOf(git: Git, url: string, ref: string): Promise<string> {
  if (commitId.test(ref)) return ref
  await checkBranchNames(git, [ref])
  const names = [branchRef(ref), `refs/tags/${ref}`]
  const { refs } = await listRemoteRefs(git, url, names)
  const found = names.find((name) => refs.has(name))
  if (found === undefined) throw unavailable(`${url} has no branch, tag or commit named ${ref}`)
  return found
}

async function objectOf(git: Git, name: string): Promise<string | undefined> {
  const found = await git.run(['rev-parse', '--verify', '--quiet', '--end-of-options', name])
  return found.code === 0 ? found.stdout.trim() : undefined
}

async function mustRun(git: Git, args: readonly string[]): Promise<void> {
  const result = await git.run(args)
  if (result.code !== 0) throw unavailable(`git cannot prepare a repository: ${result.errorText}`)
}

function unavailable(message: string): RunFailure {
  return new RunFailure('SkillUnavailable', message)
}
