import type { KubeObject } from '@agents/kube'

export interface EventNote {
  readonly type: 'Normal' | 'Warning'
  /** CamelCase, short: why. */
  readonly reason: string
  /** For people. Longer than 1024 characters is cut. */
  readonly message: string
  /** CamelCase: what was being done. Default: the reason. */
  readonly action?: string
}

/** Records events about an object. Never waits, never throws: events are best effort. */
export interface EventRecorder {
  record(object: KubeObject, note: EventNote): void
}
