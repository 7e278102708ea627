import { isNotFound, type KindRef, type ObjectKey } from '@agents/kube'
import type { Caller } from './access/caller.ts'
import { ApiError } from './api-error.ts'
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
  throw refusal ?? new ApiError('NotFound', `run ${key.namespace}/${key.name} not found`)
}
