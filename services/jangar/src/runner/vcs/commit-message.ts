import type { RunSpec } from '../../run-contract/run-spec.ts'

export interface Author {
  readonly name: string
  readonly email: string
}

/** What the runner's environment names; it takes precedence over the provider's defaults. */
interface AuthorVariables {
  readonly authorName?: string | undefined
  readonly authorEmail?: string | undefined
}

export function authorOf({ authorName, authorEmail }: AuthorVariables, run: RunSpec): Author {
  const { commitAuthorName, commitAuthorEmail } = run.vcs?.defaults ?? {}
  return {
    name: authorName ?? commitAuthorName ?? 'Agent',
    email: authorEmail ?? commitAuthorEmail ?? 'agent@example.invalid',
  }
}

const longestSubject = 72

/** The message of the commit with the changes that the program left uncommitted. */
export function commitMessage({ agentRun, implementation }: RunSpec): string {
  const { namespace, name } = agentRun
  const summary = implementation.summary ?? implementation.text.trim().split('\n')[0] ?? ''
  const subject = summary.trim().replaceAll(/\s+/g, ' ') || `Work of ${name}`
  const short =
    subject.length <= longestSubject ? subject : `${subject.slice(0, longestSubject - 1)}…`
  return `${short.toWellFormed()}\n\nAgent-Run: ${namespace}/${name}`
}
