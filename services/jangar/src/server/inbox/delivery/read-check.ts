import { flagAt, listAt, objectAt, textAt } from './members.ts'
import { isBranchName, isCommit } from './read-push.ts'
import { repositoryName } from './repository-name.ts'

/** A check of a commit has failed. Its texts are those of the program that checks, and of what it has checked. */
export interface FailedCheck {
  readonly repository: string
  readonly commit: string
  readonly name: string
  readonly text: string
  /** The branches that have the commit, as far as the service names them. */
  readonly branches: readonly string[]
}

const failures = ['failure', 'timed_out']
const longestName = 200
const longestText = 4000
const mostJobs = 20
/** Statuses that the platform writes itself. */
const own = 'agents/'

/** A check run of GitHub, such as a job of GitHub Actions. */
export function readCheckRun(payload: object): FailedCheck | undefined {
  const run = objectAt(payload, 'check_run')
  if (textAt(payload, 'action') !== 'completed') return undefined
  if (!failures.includes(textAt(run, 'conclusion') ?? '')) return undefined
  const said = [textAt(run, 'output', 'title'), textAt(run, 'output', 'summary')]
  return checkOf({
    repository: textAt(payload, 'repository', 'full_name'),
    ...{ commit: textAt(run, 'head_sha'), name: textAt(run, 'name') },
    text: said.filter((one) => one !== undefined && one !== '').join('\n\n'),
    branches: [textAt(run, 'check_suite', 'head_branch')],
  })
}

/** A commit status of GitHub or Gitea. */
export function readStatus(payload: object): FailedCheck | undefined {
  const state = textAt(payload, 'state')
  if (state !== 'failure' && state !== 'error') return undefined
  return checkOf({
    repository: textAt(payload, 'repository', 'full_name'),
    ...{ commit: textAt(payload, 'sha'), name: textAt(payload, 'context') },
    text: textAt(payload, 'description') ?? '',
    branches: listAt(payload, 'branches').map((one) => textAt(one, 'name')),
  })
}

/**
 * A pipeline of GitLab, with the names of the jobs that failed. A status from outside, such as the platform's own, is
 * one without jobs: what the platform reports must not start a run.
 */
export function readPipeline(payload: object): FailedCheck | undefined {
  const pipeline = objectAt(payload, 'object_attributes')
  if (textAt(pipeline, 'status') !== 'failed') return undefined
  const jobs = listAt(payload, 'builds')
    .filter((job) => textAt(job, 'status') === 'failed' && flagAt(job, 'allow_failure') !== true)
    .slice(0, mostJobs)
    .map((job) => `- ${oneLine(textAt(job, 'stage'))}: ${oneLine(textAt(job, 'name'))}`)
  if (jobs.length === 0) return undefined
  return checkOf({
    repository: textAt(payload, 'project', 'path_with_namespace'),
    ...{ commit: textAt(pipeline, 'sha'), name: 'pipeline' },
    text: `Jobs that failed:\n\n${jobs.join('\n')}`,
    branches: [textAt(payload, 'merge_request', 'source_branch') ?? textAt(pipeline, 'ref')],
  })
}

interface Given {
  readonly repository: string | undefined
  readonly commit: string | undefined
  readonly name: string | undefined
  readonly text: string
  readonly branches: readonly (string | undefined)[]
}

function checkOf({ commit = '', text, ...given }: Given): FailedCheck | undefined {
  const repository = repositoryName(given.repository)
  const name = oneLine(given.name)
  if (repository === undefined || !isCommit(commit) || name.startsWith(own)) return undefined
  const branches = given.branches.filter(
    (one) => one !== undefined && isBranchName(one),
  ) as string[]
  const bounded = text.slice(0, longestText).toWellFormed()
  return { repository, commit, name: name || 'unnamed', text: bounded, branches }
}

function oneLine(text = ''): string {
  return text
    .slice(0, longestName)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}`]+/gu, ' ')
    .trim()
}
