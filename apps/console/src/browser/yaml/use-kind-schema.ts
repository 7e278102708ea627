import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useConsoleData } from '../data/console-data.tsx'
import { editedSchema, type KindSchema } from './schema.ts'

/** What can be written of a kind. Undefined until that is known: an editor works without it. */
export function useKindSchema(kind: string): KindSchema | undefined {
  const { client } = useConsoleData()
  const { data } = useQuery({
    queryKey: ['schema', kind],
    queryFn: ({ signal }) => client.getKindSchema(kind, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return useMemo(() => data && editedSchema(data as KindSchema), [data])
}
