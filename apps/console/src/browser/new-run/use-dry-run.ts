import { ApiFailure } from '@agents/client'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useConsoleData } from '../data/console-data.tsx'
import { type Problem, serverProblems, syntaxProblems } from '../yaml/problems.ts'
import { requestOf } from './run-draft.ts'

/** The server is asked when typing pauses for longer than the page waits to read what was typed. */
const pauseMs = 350

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
  const syntax = useMemo(() => syntaxProblems(text), [text])
  const request = useMemo(() => (syntax.length === 0 ? requestOf(text) : undefined), [text, syntax])
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
  const { error } = query
  const refused = useMemo(() => {
    if (error === null) return []
    return serverProblems(text, error instanceof ApiFailure ? error.message : String(error))
  }, [text, error])
  if (syntax.length > 0) return { problems: syntax, state: 'invalid' }
  if (request === undefined) {
    return { problems: [{ message: 'this is not the manifest of a run' }], state: 'invalid' }
  }
  if (settled !== text || query.isPending) return { problems: [], state: 'checking' }
  if (query.error === null) return { problems: [], state: 'valid' }
  return { problems: refused, state: 'invalid' }
}
