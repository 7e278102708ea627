import { GitError } from '../git-error.ts'
import { checkBranchName } from './branch-name.ts'

/** The commits of a branch, newest first. */
interface BranchHistory {
  commits(options: { readonly firstParent: boolean }): Promise<readonly string[]>
}

const fewestDigits = 7

/**
 * The commit that a user names: by its id, which may be abbreviated, or by its distance from the tip, such as `HEAD~2`.
 * It is always one of the branch. Servers also serve other commits by their id, such as those that anybody proposes in
 * a pull request.
 */
export async function findRevision(
  revision: string,
  branch: string,
  history: BranchHistory,
): Promise<string> {
  checkBranchName(branch)
  const distance = distanceFromTip(revision, branch)
  if (distance !== undefined) {
    const commits = await history.commits({ firstParent: true })
    const found = commits[distance]
    if (found !== undefined) return found
    throw unknown(
      `revision ${revision} does not exist: branch ${branch} has ${commits.length} commits`,
    )
  }
  if (!/^[0-9a-f]{4,40}$/i.test(revision)) {
    throw unknown(
      `${JSON.stringify(revision)} is not a revision: use the id of a commit, or HEAD~1 for the one before the last`,
    )
  }
  const id = revision.toLowerCase()
  if (id.length < fewestDigits) {
    throw unknown(`revision ${revision} is too short: use at least ${fewestDigits} characters`)
  }
  const commits = await history.commits({ firstParent: false })
  const [found, other] = commits.filter((commit) => commit.startsWith(id))
  if (found === undefined) throw unknown(`revision ${revision} is not a commit of branch ${branch}`)
  if (other !== undefined) throw unknown(`revision ${revision} is the start of several commits`)
  return found
}

/** `HEAD`, `HEAD^`, `main~2`; undefined for anything else. */
function distanceFromTip(revision: string, branch: string): number | undefined {
  const start = ['HEAD', '@', branch].find((name) => revision.startsWith(name))
  const steps = start === undefined ? undefined : revision.slice(start.length)
  if (steps === undefined || !/^(?:\^|~\d{0,9})*$/.test(steps)) return undefined
  return [...steps.matchAll(/\^|~(\d*)/g)]
    .map(([, count]) => (count === undefined || count === '' ? 1 : Number(count)))
    .reduce((sum, count) => sum + count, 0)
}

function unknown(message: string): GitError {
  return new GitError('not-found', message)
}
