import { GitError } from '../git-error.ts'

/** The commits of a branch with the ids of their parents, newest first. */
type History = ReadonlyMap<string, readonly string[]>

const fewestDigits = 7

/**
 * The commit that a user names: by its id, which may be abbreviated, or from the tip as `HEAD`; `~2` behind it means
 * its second predecessor. It is always one of the branch. Servers also serve other commits by their id, such as those
 * that anybody proposes in a pull request.
 */
export function findRevision(revision: string, branch: string, history: History): string {
  const [, start = '', steps = ''] = /^(.*?)((?:\^|~\d{0,9})*)$/s.exec(revision) ?? []
  const first = isTip(start, branch) ? [...history.keys()][0] : commitById(start, branch, history)
  let found = first
  for (let left = countOf(steps); left > 0 && found !== undefined; left -= 1) {
    found = history.get(found)?.[0]
  }
  if (found !== undefined) return found
  throw unknown(`revision ${revision} does not exist: branch ${branch} has ${history.size} commits`)
}

function isTip(start: string, branch: string): boolean {
  return start === 'HEAD' || start === '@' || start === branch
}

function countOf(steps: string): number {
  return [...steps.matchAll(/\^|~(\d*)/g)]
    .map(([, count]) => (count === undefined || count === '' ? 1 : Number(count)))
    .reduce((sum, count) => sum + count, 0)
}

function commitById(start: string, branch: string, history: History): string {
  if (!/^[0-9a-f]{4,40}$/i.test(start)) {
    throw unknown(
      `${JSON.stringify(start)} is not a revision: use the id of a commit, or HEAD~1 for the one before the last`,
    )
  }
  const id = start.toLowerCase()
  if (id.length < fewestDigits) {
    throw unknown(`revision ${start} is too short: use at least ${fewestDigits} characters`)
  }
  const [found, other] = [...history.keys()].filter((commit) => commit.startsWith(id))
  if (found === undefined) throw unknown(`revision ${start} is not a commit of branch ${branch}`)
  if (other !== undefined) throw unknown(`revision ${start} is the start of several commits`)
  return found
}

function unknown(message: string): GitError {
  return new GitError('not-found', message)
}
