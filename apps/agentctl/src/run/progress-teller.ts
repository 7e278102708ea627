export interface ProgressTeller {
  /** What the run is doing now. */
  tell(progress: string): void
  /** Says what was held back, for those who see no more of the run. */
  flush(): void
  /** Forgets what was held back: there is something better to say. */
  drop(): void
}

/** Says what a run is doing whenever that changes. What waits is over in a moment mostly, and then not worth a line. */
export function progressTeller(say: (progress: string) => void, briefMs = 1000): ProgressTeller {
  let last: string | undefined
  let held: { readonly progress: string; readonly timer: NodeJS.Timeout } | undefined
  const drop = (): void => {
    clearTimeout(held?.timer)
    held = undefined
  }
  const flush = (): void => {
    const progress = held?.progress
    drop()
    if (progress !== undefined) say(progress)
  }
  return {
    tell: (progress) => {
      if (progress === last) return
      last = progress
      drop()
      if (progress.startsWith('Pending')) held = { progress, timer: setTimeout(flush, briefMs) }
      else say(progress)
    },
    flush,
    drop,
  }
}
