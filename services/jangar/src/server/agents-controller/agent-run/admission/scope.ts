/** Something that places are counted in: the cluster, a namespace, an agent or a repository. */
export interface Scope {
  readonly key: string
  /** For messages. */
  readonly name: string
  readonly bounds: Bounds
  running: number
  /** Those in the queue, without those who wait for room in it. */
  queued: number
  /** In `window`; older counts mean nothing. */
  started: number
  window: number
  /** Runs that refer to it; without any it can be forgotten. */
  users: number
}

/** 0: no bound. */
export interface Bounds {
  readonly running: number
  readonly queued: number
  /** In one window. */
  readonly started: number
}

export const unbounded: Bounds = { running: 0, queued: 0, started: 0 }

export function newScope(key: string, name: string, bounds: Bounds): Scope {
  return { key, name, bounds, running: 0, queued: 0, started: 0, window: 0, users: 0 }
}

export function isFull({ running, bounds }: Scope): boolean {
  return bounds.running > 0 && running >= bounds.running
}

export function isQueueFull({ queued, bounds }: Scope): boolean {
  return bounds.queued > 0 && queued >= bounds.queued
}

export function isSpent(scope: Scope, window: number): boolean {
  const { started } = scope.bounds
  return started > 0 && scope.window === window && scope.started >= started
}

export function countStart(scope: Scope, window: number): void {
  if (scope.window !== window) {
    scope.window = window
    scope.started = 0
  }
  scope.started += 1
}

/** For a start that did not come about. */
export function uncountStart(scope: Scope, window: number): void {
  if (scope.window === window) scope.started -= 1
}
