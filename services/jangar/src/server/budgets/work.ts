import type { ResourceCache } from '@agents/controller'
import {
  type Condition,
  formatKey,
  isControlledBy,
  type Job,
  type KubeObject,
  type Labels,
  ownerIndex,
} from '@agents/kube'
import { isFinished } from '@agents/status'
import { admittedAt } from '../admission/run-conditions.ts'
import { conditionOf } from '../kubernetes/condition-of.ts'
import type { Amounts } from './amounts.ts'

/** The kinds of runs that count against Budgets. */
export type WorkKind = 'AgentRun' | 'ToolRun'

export interface UsedAmounts {
  readonly tokens: number
  /** In millionths. */
  readonly dollars: number
  /** Tokens of a model without a price. */
  readonly unpriced: number
}

/** The part of a model. */
export interface ModelAmounts extends UsedAmounts {
  readonly model: string
}

/** What a run counts against Budgets. */
export interface Work {
  readonly kind: WorkKind
  /** Of the run. */
  readonly key: string
  readonly uid: string
  readonly agent?: string | undefined
  readonly labels?: Labels | undefined
  /** The Budget that it names. */
  readonly named?: string | undefined
  /** Whether it is admitted and has not finished. */
  readonly isActive: boolean
  readonly isFinished: boolean
  /** Whether it cannot start for another reason. */
  readonly isBlocked: boolean
  readonly used: UsedAmounts
  /** Its parts by model. What they do not sum up to was used by models that are not known. */
  readonly models?: readonly ModelAmounts[]
  /** When it was used, in milliseconds since 1970. Undefined while the run is not finished: now. */
  readonly usedAt: number | undefined
  /** Of the pod, in one attempt or step at a time. */
  readonly requests: Amounts
  readonly reserve: Amounts
}

export const nothingUsed: UsedAmounts = { tokens: 0, dollars: 0, unpriced: 0 }

type RunWithTimes = KubeObject & {
  readonly status?: { readonly finishedAt?: string | undefined }
}

/** What all kinds of runs have in common. `isActive` counts only until the run finishes. */
export function commonWork(run: RunWithTimes, kind: WorkKind, isActive: boolean) {
  const { uid = '', labels } = run.metadata
  const { finishedAt } = run.status ?? {}
  const hasFinished = isFinished(conditionsOf(run))
  return {
    kind,
    key: formatKey(run.metadata),
    uid,
    labels,
    isActive: isActive && !hasFinished,
    isFinished: hasFinished,
    isBlocked: conditionOf(run, 'Accepted')?.status === 'False',
    usedAt: hasFinished && finishedAt !== undefined ? Date.parse(finishedAt) : undefined,
  }
}

/** A process may have ended after it created the Job and before it recorded the admission. */
export function isActiveRun(run: KubeObject, jobs: Pick<ResourceCache<Job>, 'byIndex'>): boolean {
  if (admittedAt(run) !== undefined) return true
  const owned = jobs.byIndex(ownerIndex, run.metadata.uid ?? '')
  return owned.some((job) => isControlledBy(job, run))
}

function conditionsOf({ status }: KubeObject): readonly Condition[] | undefined {
  return (status as { conditions?: readonly Condition[] } | undefined)?.conditions
}
