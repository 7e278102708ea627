import { type ApiClient, ApiFailure, type SessionRecord } from '@agents/client'
import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { useConsoleData, useStreamState } from '../data/console-data.tsx'
import { Button } from '../parts/button.tsx'
import { FailureNotice } from '../parts/notice.tsx'
import { currentProof, keepProof, onProofOfOtherTab, type Ticket } from './proof.ts'
import { SignedOut } from './signed-out.tsx'

interface Session {
  readonly who: SessionRecord
  readonly signOut: () => void
}

const context = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(context)
  if (session === undefined) throw new Error('the page is outside of a session')
  return session
}

/** Shows the pages to those who are signed in, and to others how to do that. */
export function SessionGate({
  ticket,
  children,
}: {
  /** What the address had. */
  readonly ticket: Ticket | undefined
  readonly children: ReactNode
}) {
  const { client, queries, live } = useConsoleData()
  const [round, setRound] = useState(0)
  const { state } = useStreamState()
  const query = useQuery({
    queryKey: ['session', round],
    queryFn: async () => {
      // It works once: a second round asks who that was.
      if (ticket === undefined || round > 0) return await client.getSession()
      return await signIn(client, ticket)
    },
    retry: (count, error) => isPassing(error) && count < 1_000,
    retryDelay: 1000,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  })
  const isSignedIn = query.data !== undefined
  useEffect(() => {
    if (!isSignedIn) return
    const end = new AbortController()
    void live.follow(end.signal)
    return () => end.abort()
  }, [isSignedIn, live])
  useEffect(
    () =>
      onProofOfOtherTab(() => {
        queries.clear()
        setRound((before) => before + 1)
      }),
    [queries],
  )
  const signOut = (): void => {
    const leave = async (): Promise<void> => {
      const signOutUrl = await client.endSession().catch(() => undefined)
      keepProof(undefined)
      queries.clear()
      // The provider leads back. Without it, the next sign-in would need no password.
      if (signOutUrl !== undefined) location.assign(signOutUrl)
      setRound((before) => before + 1)
    }
    void leave()
  }
  const again = (): void => setRound((before) => before + 1)
  if (query.error !== null && !isPassing(query.error)) {
    return (
      <SignedOut
        error={query.error}
        hadTicket={ticket !== undefined && round === 0}
        again={again}
      />
    )
  }
  if (state === 'refused') {
    return <SignedOut error={undefined} hadTicket={false} again={again} />
  }
  if (query.data === undefined) {
    return (
      <div className="gate" role="status">
        {query.failureCount > 0 ? (
          <>
            <FailureNotice
              what={
                isProviderDown(query.failureReason)
                  ? 'You are not signed in yet:'
                  : 'The server does not answer:'
              }
              error={query.failureReason}
            />
            <Button onClick={again}>Try again</Button>
          </>
        ) : (
          'Signing in…'
        )}
      </div>
    )
  }
  return <context.Provider value={{ who: query.data, signOut }}>{children}</context.Provider>
}

async function signIn(client: ApiClient, ticket: Ticket): Promise<SessionRecord> {
  try {
    const { proof, ...opened } =
      'code' in ticket
        ? await client.openSession(ticket.code)
        : await client.finishSignIn(ticket.answer)
    keepProof(proof)
    return opened
  } catch (error) {
    // An old link in a browser that is signed in.
    const isUsed = error instanceof ApiFailure && error.status === 401
    if (!isUsed || currentProof() === undefined) throw error
    return await client.getSession().catch(() => {
      throw error
    })
  }
}

/** Whether the server itself answers, and says that another does not. */
function isProviderDown(error: unknown): boolean {
  return error instanceof ApiFailure && error.code === 'Unavailable'
}

/** Whether the server may answer otherwise soon. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiFailure)) return false
  return error.status === 0 || error.status === 429 || error.status >= 500
}
