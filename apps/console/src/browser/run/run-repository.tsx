import type { ReactNode } from 'react'
import { Facts } from '../parts/facts.tsx'
import { Plain } from '../parts/plain.tsx'
import type { PullRequest, RunObject } from '../parts/run-object.ts'
import { diffAddress } from './diff-address.ts'

/** What the run did in its repository. */
export function RunRepository({ vcs }: { readonly vcs: RunObject['status']['vcs'] }) {
  if (vcs === undefined) return null
  const { repository, baseBranch, headBranch, commit, filesChanged, insertions, deletions } = vcs
  return (
    <section>
      <h2>Repository</h2>
      <Facts
        items={[
          ['Name', repository && <Plain text={repository} />],
          ['Base', baseBranch && <Plain text={baseBranch} />],
          ['Branch', headBranch && <Plain text={headBranch} />],
          ['Commit', commit && <code>{<Plain text={commit.slice(0, 12)} />}</code>],
          [
            'Changes',
            filesChanged !== undefined &&
              `${filesChanged} files, +${insertions ?? 0} −${deletions ?? 0}`,
          ],
          ['Pull request', vcs.pullRequest && <PullRequestLine request={vcs.pullRequest} />],
        ]}
      />
    </section>
  )
}

function PullRequestLine({ request }: { readonly request: PullRequest }) {
  const { number, url, state, draft, checks, reviewDecision, message } = request
  const diff = diffAddress(url)
  const text = number === undefined ? 'pull request' : `#${number}`
  return (
    <>
      <OutsideLink url={url}>{text}</OutsideLink> <Plain text={state} />
      {diff !== undefined && (
        <>
          {' '}
          <OutsideLink url={diff}>diff</OutsideLink>
        </>
      )}
      {draft === true && <span className="tag">draft</span>}
      {checks !== undefined && <span className="tag">checks {checks}</span>}
      {reviewDecision !== undefined && <span className="tag">{reviewDecision}</span>}
      {message !== undefined && (
        <p className="quiet">
          <Plain text={message} />
        </p>
      )}
    </>
  )
}

/** A link that a run reported: only to the web, and the other side learns nothing of this page. */
function OutsideLink({
  url,
  children,
}: {
  readonly url?: string | undefined
  children: ReactNode
}) {
  const isWeb = url !== undefined && /^https?:\/\//i.test(url) && URL.canParse(url)
  if (!isWeb) return <span>{children}</span>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
      {children}
    </a>
  )
}
