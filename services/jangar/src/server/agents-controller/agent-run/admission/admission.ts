import type { Clock, Source } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import type { ControllersConfig } from '../../../../config/controllers.ts'
import type { ResourceCache } from '../../../kubernetes/resource-cache.ts'
import type { AdmissionAnswer } from './admission-answer.ts'

export type AdmissionLimits = Pick<
  ControllersConfig['agents'],
  'concurrency' | 'repoConcurrency' | 'queue' | 'rate'
>

export interface AdmissionOptions {
  readonly runs: Pick<ResourceCache<AgentRun>, 'subscribe'>
  readonly limits: AdmissionLimits
  readonly clock: Clock
}

/** Whom a run takes a place from, beside its namespace. */
export interface Demand {
  /** As owner/name; its case does not matter. */
  readonly repository?: string | undefined
  readonly agent: string
}

/** Gives places to runs: never more than the limits allow, in a fair order. */
export class Admission {
  /** Wakes runs whose turn has come; and tells admission what the cache shows, so nothing is right before it is started. */
  readonly source: Source

  constructor(_options: AdmissionOptions) {
    this.source = {
      name: 'admission',
      start: () => ({ hasSynced: () => true, remove: () => undefined }),
    }
  }

  /** To be asked in each pass of a run that is accepted and not finished; one that has a place keeps it. */
  ask(_run: AgentRun, _demand: Demand): AdmissionAnswer {
    return { kind: 'admitted' }
  }

  /** The run is no longer there. */
  gone(_key: string): void {
    // Nobody holds a place.
  }
}
