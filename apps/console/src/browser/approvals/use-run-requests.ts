import { ApiFailure, type ApiObject } from '@agents/client'
import { useObjects } from '../data/use-objects.ts'
import { requestKind, requestSpec } from './approval-request.ts'

interface RunRequests {
  readonly requests: readonly ApiObject[]
  /** Why they cannot be listed: the right that is missing. */
  readonly obstacle: string | undefined
}

/** The requests for approval in the namespace of a run that may still wait for one. */
export function useRunRequests(namespace: string, isWaiting: boolean): RunRequests {
  const { objects = [], error } = useObjects(requestKind, namespace, isWaiting)
  const isForbidden = error instanceof ApiFailure && error.status === 403
  return {
    requests: isWaiting ? objects : [],
    obstacle: isForbidden
      ? `you may not: list ${requestKind} in namespace ${namespace}`
      : error === null
        ? undefined
        : 'the requests cannot be listed',
  }
}

/** Those about a run by its UID: a run of the same name may have been there before. */
export function requestsAbout(
  requests: readonly ApiObject[],
  uid: string | undefined,
  step?: string,
): readonly ApiObject[] {
  if (uid === undefined) return []
  return requests.filter((request) => {
    const { subject } = requestSpec(request)
    return subject?.uid === uid && subject.step === step
  })
}
