import { ForgeError, type Issue } from '@agents/forge'
import { type SourceIssue, versionOf } from '../../../inbox/delivery/source-issue.ts'
import type { ListIssues } from './listing.ts'
import type { OpenSourceForge } from './open-source-forge.ts'

/** A list that is longer is not complete, so that nothing can be concluded from what is missing. */
const mostIssues = 1000

/** Lists the open issues of a repository. While nothing changes, the service answers that nothing has. */
export function forgeLists(openForge: OpenSourceForge): ListIssues {
  return async (source, { now, signal }) => {
    const { repository = '', labels } = source.spec.scope ?? {}
    const forge = await openForge(source, now, signal)
    const query = { repository, state: 'open', ...(labels && { labels }) } as const
    const issues = await forge.issues(query, signal)
    return {
      issues: issues.map((issue) => ({ issue: sourceIssue(repository, issue) })),
      isComplete: issues.length < mostIssues,
    }
  }
}

function sourceIssue(
  repository: string,
  { number, title, body, labels, url, state, updatedAt }: Issue,
): SourceIssue {
  const version = versionOf(updatedAt)
  if (version === undefined) throw new ForgeError('garbled', 'an issue has no valid updated_at')
  const externalId = `${repository}#${number}`
  return { externalId, repository, title, body, labels, url, state, version }
}
