import { ApiFailure } from '@agents/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useConsoleData } from '../data/console-data.tsx'
import { Button } from '../parts/button.tsx'
import { FailureNotice } from '../parts/notice.tsx'
import { keepReturnPath } from './proof.ts'

interface SignedOutProps {
  readonly error: unknown
  readonly hadTicket: boolean
  readonly again: () => void
}

/** How to sign in. */
export function SignedOut({ error, hadTicket, again }: SignedOutProps) {
  const { client } = useConsoleData()
  const ways = useQuery({
    queryKey: ['sign-ins'],
    queryFn: ({ signal }) => client.listSignIns(signal),
    retry: 3,
  })
  const isPlain = error instanceof ApiFailure && error.status === 401 && !hadTicket
  const issuer = ways.data?.openIdConnect?.issuer
  return (
    <main className="gate">
      <img src="/favicon.svg" alt="" width="40" height="40" />
      <h1>Sign in</h1>
      {error !== undefined && !isPlain && (
        <FailureNotice what="You are not signed in:" error={error} />
      )}
      {issuer !== undefined && <ProviderSignIn issuer={issuer} />}
      {(ways.isError || ways.data?.code === true) && (
        <>
          <p>
            Run this where you use <code>kubectl</code> or started the platform. It opens this page
            as you:
          </p>
          <pre className="command">npx agentctl console</pre>
        </>
      )}
      {ways.data?.code === false && issuer === undefined && (
        <p>This server has no OpenID provider, so nobody can sign in on this page.</p>
      )}
      <p className="quiet">
        The console can do what you may do in the cluster, and nothing else. This page continues
        when you sign in in another tab.
      </p>
      <Button onClick={again}>Try again</Button>
    </main>
  )
}

/** Leads to the OpenID provider, which leads back. */
function ProviderSignIn({ issuer }: { readonly issuer: string }) {
  const { client } = useConsoleData()
  const [state, setState] = useState<{ readonly isLeaving: boolean; readonly error?: unknown }>({
    isLeaving: false,
  })
  const leave = async (): Promise<void> => {
    setState({ isLeaving: true })
    try {
      const url = await client.startSignIn()
      keepReturnPath()
      location.assign(url)
    } catch (error) {
      setState({ isLeaving: false, error })
    }
  }
  return (
    <>
      {state.error !== undefined && (
        <FailureNotice what="The sign-in cannot begin:" error={state.error} />
      )}
      <Button look="main" onClick={() => void leave()} busy={state.isLeaving}>
        Sign in at {new URL(issuer).host}
      </Button>
    </>
  )
}
