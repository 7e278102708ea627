import { list, oneOfStrings } from '@agents/crd'

/** The classes of failures that can be retried. Others, such as an invalid specification, never are. */
export const failureClasses = [
  'Error',
  'Timeout',
  'RateLimited',
  'Evicted',
  'ImagePull',
  'PushConflict',
] as const

export type FailureClass = (typeof failureClasses)[number]

/** The API server refuses a class that is listed twice. */
export function retryOn(description: string) {
  return list(
    description,
    oneOfStrings(
      'Class of a failure. Error: the program or the platform failed. Timeout: it took too long. RateLimited: the model refused requests with status 429. Evicted: the pod or its Job was removed from its node or deleted. ImagePull: the image could not be pulled in time. PushConflict: somebody else pushed to the branch.',
      [...failureClasses],
    ),
    { minItems: 1, maxItems: failureClasses.length, 'x-kubernetes-list-type': 'set' },
  )
}
