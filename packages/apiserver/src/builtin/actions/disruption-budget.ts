import { isJsonObject } from '../../json/json-value.ts'
import { secondsTimestamp } from '../../metadata/timestamps.ts'
import { ApiError, forbidden } from '../../status/api-error.ts'
import type { Store } from '../../store/store.ts'
import { type Fields, number, part, parts, text } from '../fields.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'
import { isEmptySelector, selectorMatches } from '../validation/label-selector.ts'

/** More pods than this are not recorded as being evicted. */
const maxDisruptedPods = 2000
const prefix = '/policy/poddisruptionbudgets/'

/**
 * Uses up one disruption of the pod's budget, or throws if it has none. Budgets are evaluated by the status that their
 * controller wrote.
 */
export async function useDisruption(
  store: Store,
  pod: BuiltinObject,
  now: Date,
  dryRun: boolean,
): Promise<void> {
  const phase = text(part(pod, 'status'), 'phase')
  if (['Succeeded', 'Failed', 'Pending'].includes(phase)) return
  if (pod.metadata.deletionTimestamp !== undefined) return
  const budgets = budgetsOf(store, pod)
  if (budgets.length > 1) {
    const message =
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
    throw new ApiError(500, 'InternalError', message)
  }
  const [budget] = budgets
  if (budget === undefined) return
  if (!isReady(pod) && mayEvictUnready(budget)) return
  if (dryRun) {
    afterDisruption(budget, pod.metadata.name, now)
    return
  }
  const key = `${prefix}${pod.metadata.namespace ?? ''}/${budget.metadata.name}`
  await store.write(key, (current) => {
    // The budget has been deleted in the meantime.
    if (current === undefined) return 'unchanged'
    return { value: afterDisruption(current.value as BuiltinObject, pod.metadata.name, now) }
  })
}

function budgetsOf(store: Store, { metadata }: BuiltinObject): BuiltinObject[] {
  const labels: Fields = { ...metadata.labels }
  return store
    .list(`${prefix}${metadata.namespace ?? ''}/`)
    .entries.map(({ value }) => value as BuiltinObject)
    .filter((budget) => selects(part(budget, 'spec').selector, labels))
}

function selects(selector: unknown, labels: Fields): boolean {
  if (!isJsonObject(selector)) return false
  return isEmptySelector(selector) || selectorMatches(selector, labels)
}

function isReady(pod: BuiltinObject): boolean {
  return parts(part(pod, 'status'), 'conditions').some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  )
}

/** Evicting a pod that is not ready disrupts nothing, provided that enough others are. */
function mayEvictUnready(budget: BuiltinObject): boolean {
  if (part(budget, 'spec').unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  const { currentHealthy, desiredHealthy } = countsOf(budget)
  return currentHealthy >= desiredHealthy && desiredHealthy > 0
}

function countsOf(budget: BuiltinObject) {
  const status = part(budget, 'status')
  return {
    disruptionsAllowed: number(status, 'disruptionsAllowed') ?? 0,
    currentHealthy: number(status, 'currentHealthy') ?? 0,
    desiredHealthy: number(status, 'desiredHealthy') ?? 0,
  }
}

/** The budget with one disruption less. Throws if it allows none. */
function afterDisruption(budget: BuiltinObject, pod: string, now: Date): BuiltinObject {
  const { name, generation = 0 } = budget.metadata
  const status = part(budget, 'status')
  const { disruptionsAllowed } = countsOf(budget)
  if ((number(status, 'observedGeneration') ?? 0) < generation) {
    throw refusal(`The disruption budget ${name} is still being processed by the server.`, 10)
  }
  const kind = { group: 'policy', plural: 'poddisruptionbudget' }
  if (disruptionsAllowed < 0) throw forbidden(kind, name, 'pdb disruptions allowed is negative')
  const disrupted = part(status, 'disruptedPods')
  if (Object.keys(disrupted).length > maxDisruptedPods) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller'
    throw forbidden(kind, name, why)
  }
  if (disruptionsAllowed === 0) {
    throw refusal(`The disruption budget ${name} ${refusalReason(budget)}`)
  }
  const left = disruptionsAllowed - 1
  return {
    ...budget,
    status: {
      ...status,
      disruptionsAllowed: left,
      disruptedPods: { ...disrupted, [pod]: secondsTimestamp(now) },
      ...(left === 0 ? { conditions: exhausted(status, generation, secondsTimestamp(now)) } : {}),
    },
  }
}

function refusal(message: string, retryAfterSeconds?: number): ApiError {
  const text = "Cannot evict pod as it would violate the pod's disruption budget."
  return new ApiError(429, 'TooManyRequests', text, {
    causes: [{ reason: 'DisruptionBudget', message }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}

function refusalReason(budget: BuiltinObject): string {
  const { currentHealthy, desiredHealthy } = countsOf(budget)
  const none = 'does not allow evicting pods currently'
  const condition = parts(part(budget, 'status'), 'conditions').find(
    ({ type, status }) => type === 'DisruptionAllowed' && status === 'False',
  )
  const message = condition === undefined ? '' : text(condition, 'message')
  if (message !== '' && condition?.reason === 'SyncFailed') {
    return `${none} because it failed sync: ${message}`
  }
  if (currentHealthy <= desiredHealthy) {
    return `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
  }
  return message === '' ? none : `${none} (${String(condition?.reason)}): ${message}`
}

function exhausted(status: Fields, observedGeneration: number, now: string): Fields[] {
  const conditions = parts(status, 'conditions')
  const old = conditions.find(({ type }) => type === 'DisruptionAllowed')
  const lastTransitionTime = old?.status === 'False' ? old.lastTransitionTime : now
  const next: Fields = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration,
    lastTransitionTime,
    reason: 'InsufficientPods',
    message: '',
  }
  return old === undefined
    ? [...conditions, next]
    : conditions.map((condition) => (condition === old ? next : condition))
}
