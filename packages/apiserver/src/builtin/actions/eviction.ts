import type { KubeObject } from '@agents/kube'
import { secondsTimestamp } from '../../metadata/timestamps.ts'
import type { ActionRequest } from '../../registry/resource.ts'
import type { Strategy } from '../../registry/strategy.ts'
import { noAdmission } from '../../rest/admission.ts'
import { deleteObject } from '../../rest/delete.ts'
import { objectKey, type RestEnvironment } from '../../rest/environment.ts'
import { ApiError, badRequest } from '../../status/api-error.ts'
import { number, ownPart, part, parts, text, texts } from '../fields.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'
import { actionDone } from './action-done.ts'
import { useDisruption } from './disruption-budget.ts'

type Rest = () => RestEnvironment

/** Handles POST to `pods/<name>/eviction`: a delete that disruption budgets may prevent. */
export function evict(rest: Rest): (request: ActionRequest) => Promise<KubeObject> {
  return async ({ resource, namespace, name, body, context }) => {
    const environment = rest()
    if (body.metadata.name !== name) {
      throw badRequest('name in URL does not match name in Eviction object')
    }
    const options = part(body as BuiltinObject, 'deleteOptions')
    const dryRun = isDryRun(texts(options, 'dryRun'), context.dryRun)
    const grace = number(options, 'gracePeriodSeconds')
    const preconditions = part(options, 'preconditions')
    const uid = text(preconditions, 'uid')
    const resourceVersion = text(preconditions, 'resourceVersion')
    const deleteOptions = {
      dryRun,
      ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
      preconditions: {
        ...(uid === '' ? {} : { uid }),
        ...(resourceVersion === '' ? {} : { resourceVersion }),
      },
    }
    const pod = environment.store.get(objectKey(resource, namespace, name))?.value
    // A pod that does not exist is reported by the delete.
    if (pod !== undefined) {
      await useDisruption(environment.store, pod as BuiltinObject, context.now, dryRun)
    }
    const strategy = announcing(resource.strategy, context.now)
    await deleteObject(
      // The Eviction has already been admitted.
      { ...environment, admission: noAdmission },
      { resource, strategy, subresource: 'eviction', namespace, name },
      deleteOptions,
      context,
    )
    return actionDone()
  }
}

/** A dry run may be requested by the query or by the delete options in the body. If by both, they must be equal. */
function isDryRun(inBody: readonly string[], inQuery: boolean): boolean {
  if (inQuery && inBody.length > 0 && inBody.join() !== 'All') {
    const difference = `[All] and [${inBody.join(' ')}]`
    const message = `Non-matching dry-run options in request and content: ${difference}`
    throw new ApiError(500, '', message)
  }
  return inQuery || inBody.length > 0
}

/** Deletes of this strategy record in the pod's status why it ends. */
function announcing(strategy: Strategy, now: Date): Strategy {
  return {
    ...strategy,
    prepareForDelete(object, context) {
      strategy.prepareForDelete?.(object, context)
      const status = ownPart(object as BuiltinObject, 'status')
      const others = parts(status, 'conditions').filter(({ type }) => type !== 'DisruptionTarget')
      const condition = {
        type: 'DisruptionTarget',
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: secondsTimestamp(now),
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
      }
      status.conditions = [...others, condition]
    },
  }
}
