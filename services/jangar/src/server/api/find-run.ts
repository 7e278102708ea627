import { isNotFound, type KindRef, type ObjectKey, type ResourceAttributes } from '@agents/kube'
import type { MayDo } from './access/authorizer.ts'
import type { Caller } from './access/caller.ts'
import { ApiError, apiErrorOf } from './api-error.ts'
import type { ArchivedRuns } from './archived-runs.ts'
import type { CallerClient } from './caller-client.ts'
import { type AnyRun, runKinds } from './run-summary.ts'

interface FoundRun {
  readonly kind: KindRef<AnyRun>
  readonly run: AnyRun
}

/** The run of a name, read as the caller. If no kind is given, the first kind in which the caller finds the name. */
export async function findRun(
  client: CallerClient,
  caller: Caller,
  key: ObjectKey,
  wanted: string | undefined,
  signal: AbortSignal,
): Promise<FoundRun> {
  let refusal: unknown
  for (const kind of runKinds.filter((each) => wanted === undefined || each.kind === wanted)) {
    try {
      return { kind, run: await client.get(caller, kind, key, signal) }
    } catch (error) {
      // Another kind may have the name. A refusal is not hidden by "not found" of the others.
      if (!isNotFound(error)) refusal ??= error
    }
  }
  throw refusal ?? notFound(key)
}

interface ArchivePorts {
  readonly archive: ArchivedRuns | undefined
  readonly mayDo: MayDo
}

interface WantedRun {
  readonly kind: string | undefined
  readonly uid: string | undefined
}

/**
 * The run in the cluster, or else in the archive. There the caller needs the same right, to get this name. With a uid,
 * the run of that uid and no other one of the name.
 */
export async function findAnyRun(
  client: CallerClient,
  { archive, mayDo }: ArchivePorts,
  caller: Caller,
  key: ObjectKey,
  { kind: wanted, uid }: WantedRun,
  signal: AbortSignal,
): Promise<FoundRun & { readonly isArchived: boolean }> {
  const live = await findRun(client, caller, key, wanted, signal).catch((error: unknown) => {
    // Where the cluster does not answer, the archive may have an older state.
    const { code } = apiErrorOf(error)
    if (code !== 'NotFound' && code !== 'Forbidden') throw error
    return { absence: error }
  })
  if ('run' in live && (uid === undefined || live.run.metadata.uid === uid)) {
    return { ...live, isArchived: false }
  }
  const { namespace = '', name } = key
  for (const kind of archive === undefined ? [] : runKinds) {
    if (wanted !== undefined && kind.kind !== wanted) continue
    if (!(await mayDo(caller, getOf(kind, namespace, name)))) continue
    const run = await archive?.find({ kind, namespace, name, uid }).catch((cause: unknown) => {
      throw new ApiError('Unavailable', 'the archive does not answer; try again', { cause })
    })
    if (run !== undefined) return { kind, run, isArchived: true }
  }
  throw 'run' in live ? notFound(key) : live.absence
}

function notFound({ namespace, name }: ObjectKey): ApiError {
  return new ApiError('NotFound', `run ${namespace}/${name} not found`)
}

function getOf(
  { group, version, plural }: KindRef,
  namespace: string,
  name: string,
): ResourceAttributes {
  return { verb: 'get', group, version, resource: plural, namespace, name }
}
