import { Ago } from '../parts/time.tsx'
import type { Mirror } from './mirror-object.ts'

type Commits = NonNullable<NonNullable<Mirror['status']['push']>['recentCommits']>

/** The last commits of a mirror, newest first. */
export function LastCommits({ commits }: { readonly commits: Commits }) {
  if (commits.length === 0) return null
  return (
    <>
      <h2>Last commits</h2>
      <ul className="commits" aria-label="Last commits">
        {commits.map(({ commit, time }) => (
          <li key={commit}>
            <code title={commit}>{commit.slice(0, 12)}</code> <Ago at={time} />
          </li>
        ))}
      </ul>
    </>
  )
}
