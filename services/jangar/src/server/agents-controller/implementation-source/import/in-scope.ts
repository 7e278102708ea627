import type { ImplementationSource } from '@agents/jangar-api'
import type { SourceIssue } from '../../../inbox/delivery/source-issue.ts'
import { matchesQuery, readQuery } from './scope-query.ts'

/** Whether the issue is one of those that the source imports. Throws ScopeInvalid if nobody can tell. */
export function isInScope(
  { scope = {} }: ImplementationSource['spec'],
  issue: SourceIssue,
): boolean {
  const { organization, repository, project, team, labels = [], query } = scope
  const asked = validQuery(query)
  const own = new Set(issue.labels.map(plain))
  return (
    isSame(organization, issue.repository?.split('/', 1)[0]) &&
    isSame(repository, issue.repository) &&
    isSame(project, issue.project) &&
    isSame(team, issue.team) &&
    labels.every((label) => own.has(plain(label))) &&
    matchesQuery(asked, issue)
  )
}

/** Which issues are meant is unknown, so that none may be imported or closed. */
export class ScopeInvalid extends Error {
  override name = 'ScopeInvalid'
}

/** Throws if the scope cannot tell which issues are meant. */
export function requireScope({ scope }: ImplementationSource['spec']): void {
  validQuery(scope?.query)
}

function validQuery(text = '') {
  const asked = readQuery(text)
  if ('problem' in asked) throw new ScopeInvalid(asked.problem)
  return asked
}

function isSame(wanted: string | undefined, found: string | undefined): boolean {
  return wanted === undefined || (found !== undefined && plain(wanted) === plain(found))
}

/** Trackers compare names of repositories and labels without regard to case. */
function plain(name: string): string {
  return name.toLowerCase()
}
