interface ProgressReporter {
  /** Reports what the run is doing now. */
  report(progress: string): void
  /** Reports what was held back, when no more of the run will be seen. */
  flush(): void
  /** Drops what was held back, since the outcome is reported instead. */
  drop(): void
}

/**
 * Reports what a run is doing whenever that changes. A pending run is reported only after `briefMs`, since most start
 * at once.
 */
export function createProgressReporter(
  printLine: (progress: string) => void,
  briefMs = 1000,
): ProgressReporter {
  let last: string | undefined
  let held: { readonly progress: string; readonly timer: NodeJS.Timeout } | undefined
  const drop = (): void => {
    clearTimeout(held?.timer)
    held = undefined
  }
  const flush = (): void => {
    const progress = held?.progress
    drop()
    if (progress !== undefined) printLine(progress)
  }
  return {
    report: (progress) => {
      if (progress === last) return
      last = progress
      drop()
      if (progress.startsWith('Pending')) held = { progress, timer: setTimeout(flush, briefMs) }
      else printLine(progress)
    },
    flush,
    drop,
  }
}
