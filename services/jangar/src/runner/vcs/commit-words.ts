import type { RunSpec } from '../contract/run-spec.ts'
import type { RunnerEnvironment } from '../runner-environment.ts'

export interface Author {
  readonly name: string
  readonly email: string
}

export function authorOf(
  { authorName, authorEmail }: RunnerEnvironment['vcs'],
  run: RunSpec,
): Author {
  const { commitAuthorName, commitAuthorEmail } = run.vcs?.defaults ?? {}
  return {
    name: authorName ?? commitAuthorName ?? 'Agent',
    email: authorEmail ?? commitAuthorEmail ?? 'agent@example.invalid',
  }
}

const LONGEST_SUBJECT = 72

/** For what the program changed and did not commit itself. */
export function commitMessage({ agentRun, implementation }: RunSpec): string {
  const { namespace, name } = agentRun
  const said = implementation.summary ?? implementation.text.trim().split('\n')[0] ?? ''
  const subject = said.trim().replaceAll(/\s+/g, ' ') || `Work of ${name}`
  const short =
    subject.length <= LONGEST_SUBJECT ? subject : `${subject.slice(0, LONGEST_SUBJECT - 1)}…`
  return `${short.toWellFormed()}\n\nAgent-Run: ${namespace}/${name}`
}
