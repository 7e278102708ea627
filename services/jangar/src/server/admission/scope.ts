/** Something that runs are counted in: the cluster, a namespace, an agent, a repository or a Workspace. */
export interface Scope {
  readonly key: string
  /** For messages. */
  readonly name: string
  readonly limits: ScopeLimits
  running: number
  /** Runs in the queue, without those that do not fit into it. */
  queued: number
  /** Starts in `window`; older counts mean nothing. */
  started: number
  window: number
  /** Runs that refer to the scope. Without any, it can be forgotten. */
  users: number
}

/** 0: no limit. */
export interface ScopeLimits {
  readonly running: number
  readonly queued: number
  /** Starts in one window. */
  readonly started: number
}

export const unlimited: ScopeLimits = { running: 0, queued: 0, started: 0 }

export function newScope(key: string, name: string, limits: ScopeLimits): Scope {
  return { key, name, limits, running: 0, queued: 0, started: 0, window: 0, users: 0 }
}

/** Whether the limit is specific to a run: it is then reported even if other runs are ahead in the queue. */
export function isNarrow({ key }: Scope): boolean {
  return ['agent/', 'repository/', 'workspace/'].some((prefix) => key.startsWith(prefix))
}

/** Whether the scope is a Workspace, which one run at a time may use. */
export function isWorkspace({ key }: Scope): boolean {
  return key.startsWith('workspace/')
}

export function isFull({ running, limits }: Scope): boolean {
  return limits.running > 0 && running >= limits.running
}

export function isQueueFull({ queued, limits }: Scope): boolean {
  return limits.queued > 0 && queued >= limits.queued
}

export function isRateExhausted(scope: Scope, window: number): boolean {
  const { started } = scope.limits
  return started > 0 && scope.window === window && scope.started >= started
}

export function countStart(scope: Scope, window: number): void {
  if (scope.window !== window) {
    scope.window = window
    scope.started = 0
  }
  scope.started += 1
}

/** For a start that did not happen. */
export function uncountStart(scope: Scope, window: number): void {
  if (scope.window === window) scope.started -= 1
}
