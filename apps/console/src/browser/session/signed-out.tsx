import { ApiFailure } from '@agents/client'
import { Button } from '../parts/button.tsx'
import { FailureNotice } from '../parts/notice.tsx'

interface SignedOutProps {
  readonly error: unknown
  readonly hadCode: boolean
  readonly again: () => void
}

/** How to sign in. */
export function SignedOut({ error, hadCode, again }: SignedOutProps) {
  const isPlain = error instanceof ApiFailure && error.status === 401 && !hadCode
  return (
    <main className="gate">
      <img src="/favicon.svg" alt="" width="40" height="40" />
      <h1>Sign in</h1>
      {error !== undefined && !isPlain && (
        <FailureNotice what="You are not signed in:" error={error} />
      )}
      <p>
        Run this where you use <code>kubectl</code> or started the platform. It opens this page as
        you:
      </p>
      <pre className="command">npx agentctl console</pre>
      <p className="quiet">
        The console can do what you may do in the cluster, and nothing else. This page continues
        when you sign in in another tab.
      </p>
      <Button onClick={again}>Try again</Button>
    </main>
  )
}
