import { ApiFailure } from '@agents/client'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useConsoleData } from '../data/console-data.tsx'
import { type Problem, serverProblems, syntaxProblems } from '../yaml/problems.ts'
import { requestOf } from './run-draft.ts'

/** The server is asked when typing pauses. */
const pauseMs = 500

interface DryRun {
  readonly problems: readonly Problem[]
  readonly state: 'checking' | 'valid' | 'invalid'
}

/** Whether the API server would accept the manifest as it is. */
export function useDryRun(text: string): DryRun {
  const { client } = useConsoleData()
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  const syntax = syntaxProblems(text)
  const request = syntax.length === 0 ? requestOf(settled) : undefined
  const query = useQuery({
    queryKey: ['dry-run', settled],
    queryFn: async () => {
      if (request === undefined) return undefined
      await client.submitRun(request, { dryRun: true })
      return true
    },
    enabled: request !== undefined && settled === text,
    retry: false,
    gcTime: 60_000,
  })
  if (syntax.length > 0) return { problems: syntax, state: 'invalid' }
  if (requestOf(text) === undefined) {
    return { problems: [{ message: 'this is not the manifest of a run' }], state: 'invalid' }
  }
  if (settled !== text || query.isPending) return { problems: [], state: 'checking' }
  if (query.error === null) return { problems: [], state: 'valid' }
  const { error } = query
  const message = error instanceof ApiFailure ? error.message : String(error)
  return { problems: serverProblems(text, message), state: 'invalid' }
}
