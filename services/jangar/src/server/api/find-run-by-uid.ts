import type { Caller } from './access/caller.ts'
import { ApiError, apiErrorOf } from './api-error.ts'
import type { RunPlace } from './archived-runs.ts'
import type { CallerClient } from './caller-client.ts'
import { findAnyRun } from './find-run.ts'
import type { ListPorts } from './list-runs.ts'
import { needFilled } from './need-runs.ts'

/**
 * The run of a uid, read as the caller, in the cluster or in the archive. With a kind, a run of another kind is not
 * found. Who may not read the run does not learn its name or namespace.
 */
export async function findRunByUid(
  client: CallerClient,
  ports: Omit<ListPorts, 'log'>,
  caller: Caller,
  uid: string,
  wanted: string | undefined,
  signal: AbortSignal,
) {
  const place = await placeOf(ports, uid)
  if (place === undefined || (wanted !== undefined && place.kind !== wanted)) throw notFound(uid)
  const { kind, namespace, name } = place
  const key = { namespace, name }
  return await findAnyRun(client, ports, caller, key, { kind, uid }, signal).catch(
    (error: unknown) => {
      const { code } = apiErrorOf(error)
      if (code === 'NotFound') throw notFound(uid)
      if (code !== 'Forbidden') throw error
      throw new ApiError('Forbidden', `${caller.username} may not get the run with uid ${uid}`)
    },
  )
}

async function placeOf(
  { sources, archive }: Pick<ListPorts, 'sources' | 'archive'>,
  uid: string,
): Promise<RunPlace | undefined> {
  for (const { cache } of sources) {
    const run = cache.list().find(({ metadata }) => metadata.uid === uid)
    if (run === undefined) continue
    const { namespace = '', name } = run.metadata
    return { kind: cache.kind.kind, namespace, name }
  }
  const archived = await archive?.locate(uid).catch((cause: unknown) => {
    throw new ApiError('Unavailable', 'the archive does not answer; try again', { cause })
  })
  if (archived === undefined) needFilled(sources)
  return archived
}

function notFound(uid: string): ApiError {
  return new ApiError('NotFound', `there is no run with uid ${uid}`)
}
