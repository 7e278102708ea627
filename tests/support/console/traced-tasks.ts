import type { Page } from 'playwright-core'

/** An event of a trace, in microseconds. */
interface TraceEvent {
  readonly name?: string
  readonly ph?: string
  readonly pid?: number
  readonly tid?: number
  readonly ts?: number
  readonly dur?: number
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

export interface TracedTasks {
  /** How long the main thread of the page worked in its longest task, without the time of other processes. */
  readonly longestMs: number
  /** How long it worked in all. */
  readonly totalMs: number
  readonly count: number
  /** What the work was, in milliseconds, the most first. */
  readonly parts: readonly (readonly [name: string, ms: number])[]
}

const parts = new Set([
  ...['FunctionCall', 'RunMicrotasks', 'TimerFire', 'FireAnimationFrame', 'EventDispatch'],
  ...['UpdateLayoutTree', 'Layout', 'PrePaint', 'Paint', 'Layerize', 'Commit', 'HitTest'],
  ...['MinorGC', 'MajorGC', 'V8.GC_SCAVENGER', 'ParseHTML', 'IntersectionObserverController'],
])

/** Follows what the main thread of the page does until the returned function is called. */
export async function traceTasks(page: Page): Promise<() => Promise<TracedTasks>> {
  const devtools = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  devtools.on('Tracing.dataCollected', ({ value }) => events.push(...(value as TraceEvent[])))
  await devtools.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: {
      includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'],
    },
  })
  return async () => {
    const complete = new Promise((resolve) => devtools.once('Tracing.tracingComplete', resolve))
    await devtools.send('Tracing.end')
    await complete
    await devtools.detach()
    return tasksOf(events)
  }
}

function tasksOf(events: readonly TraceEvent[]): TracedTasks {
  const key = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`
  // Browsers of one process trace together: the page is the one that worked most.
  const mains = events.filter(({ ph, args }) => ph === 'M' && args?.name === 'CrRendererMain')
  const spent = (thread: TraceEvent): number =>
    sum(events.filter((each) => each.name === 'RunTask' && key(each) === key(thread)))
  const main = mains.toSorted((one, other) => spent(other) - spent(one))[0]
  if (main === undefined) throw new Error('the trace has no main thread')
  const own = events.filter((each) => key(each) === key(main))
  const tasks = own.filter(({ name }) => name === 'RunTask')
  const byName = Map.groupBy(own, ({ name = '' }) => name)
  return {
    longestMs: Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur)) / 1000,
    totalMs: sum(tasks),
    count: tasks.length,
    parts: [...byName]
      .filter(([name]) => parts.has(name))
      .map(([name, each]) => [name, Math.round(sum(each))] as const)
      .toSorted(([, one], [, other]) => other - one),
  }
}

function sum(events: readonly TraceEvent[]): number {
  return events.reduce((total, { tdur = 0 }) => total + tdur, 0) / 1000
}
