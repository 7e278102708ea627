import { createHash } from 'node:crypto'
import type { Clock } from '@agents/controller'
import type { KindRef, ResourceAttributes, ReviewClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import { ApiError } from '../api-error.ts'
import type { Caller } from './caller.ts'
import { RecentAnswers } from './recent-answers.ts'

interface AuthorizerPorts {
  readonly client: Pick<ReviewClient, 'reviewAccess'>
  readonly clock: Clock
  readonly log: Logger
}

/** Asks the cluster whether the caller may do exactly this. */
export type MayDo = (caller: Caller, act: ResourceAttributes) => Promise<boolean>

/** So long a changed right has no effect on what the control plane itself answers. */
const allowedForMs = 5_000
const deniedForMs = 2_000
const longestReviewMs = 10_000

export function authorizer({ client, clock, log }: AuthorizerPorts): MayDo {
  const recent = new RecentAnswers<boolean>({ clock, capacity: 10_000, mostOpen: 256 })
  const review = async ({ username, uid, groups, extra }: Caller, act: ResourceAttributes) => {
    const subject = { user: username, groups, extra, ...(uid !== undefined && { uid }) }
    const { allowed } = await client
      .reviewAccess({ ...subject, resourceAttributes: act }, { timeoutMs: longestReviewMs })
      .catch((error: unknown) => {
        log.warn('access not reviewed', { error })
        throw new ApiError('Unavailable', 'the cluster cannot review access now; try again', {
          cause: error,
        })
      })
    return { value: allowed, forMs: allowed ? allowedForMs : deniedForMs }
  }
  return (caller, act) => {
    const { username, uid, groups, extra } = caller
    const { verb, group, version, resource, subresource, namespace, name } = act
    const asked = [verb, group, version, resource, subresource, namespace, name]
    const question = JSON.stringify([username, uid, groups, extra, asked])
    const digest = createHash('sha256').update(question).digest('base64')
    return recent.get(digest, () => review(caller, act))
  }
}

/** The act on all objects of a kind in a namespace, or in the cluster if there is none. */
export function listOf(
  { group, version, plural }: KindRef,
  namespace?: string,
): ResourceAttributes {
  return {
    verb: 'list',
    group,
    version,
    resource: plural,
    ...(namespace !== undefined && { namespace }),
  }
}
