import type { ImplementationSource } from '@agents/jangar-api'
import type { SourceIssue } from '../../../inbox/delivery/source-issue.ts'

/** Whether the issue is one of those that the source imports. */
export function isInScope(
  { scope = {} }: ImplementationSource['spec'],
  issue: SourceIssue,
): boolean {
  const { organization, repository, project, team, labels = [], query } = scope
  // Nothing can tell which issues match a query.
  if (query !== undefined) return false
  const own = new Set(issue.labels.map(plain))
  return (
    isSame(organization, issue.repository?.split('/', 1)[0]) &&
    isSame(repository, issue.repository) &&
    isSame(project, issue.project) &&
    isSame(team, issue.team) &&
    labels.every((label) => own.has(plain(label)))
  )
}

function isSame(wanted: string | undefined, found: string | undefined): boolean {
  return wanted === undefined || (found !== undefined && plain(wanted) === plain(found))
}

/** Trackers compare names of repositories and labels without regard to case. */
function plain(name: string): string {
  return name.toLowerCase()
}
