import type { Confirmation, PushTimes } from '@agents/git'
import { type Attributes, spanIdOf, type Tracer } from '@agents/tracing'

interface WindowOf {
  /** `namespace/name` of the GitTarget. */
  readonly target: string
  readonly branch: string
  readonly kind: 'changes' | 'snapshot'
  /** When the first change of the window was seen. If omitted, now. */
  readonly openedMs?: number | undefined
}

/** Records the progress of a window. */
export interface WindowTrace {
  /** Cluster and branch have been compared. */
  compared(): void
  /** Records the result, and the times of the push. */
  confirmed(confirmation: Confirmation, times: PushTimes | undefined): void
}

const noTrace: WindowTrace = { compared: () => undefined, confirmed: () => undefined }

/** Traces each window that leads to a commit or fails. A comparison that finds no difference is not traced. */
export function traceWindow(
  tracer: Tracer,
  { target, branch, kind, openedMs }: WindowOf,
  work: (trace: WindowTrace) => Promise<void>,
): Promise<void> {
  if (!tracer.isOn) return work(noTrace)
  const attributes = {
    'gittarget.target': target,
    'vcs.ref.head.name': branch,
    'gittarget.window.kind': kind,
  }
  const options = { parent: 'none', startMs: openedMs, attributes } as const
  return tracer.trace('commit window', options, (span) => {
    const begunMs = Date.now()
    let comparedMs: number | undefined
    const child = (name: string, startMs: number, endMs: number, more: Attributes = {}): void =>
      tracer.record({
        context: { ...span.context, spanId: spanIdOf(name, span.context.spanId) },
        parentSpanId: span.context.spanId,
        ...{ name, kind: 'internal', startMs, endMs: Math.max(startMs, endMs) },
        attributes: { ...attributes, ...more },
        ...{ status: { code: 'unset' }, events: [], links: [] },
      })
    return work({
      compared: () => {
        comparedMs = Date.now()
      },
      confirmed: ({ written, commit, changed, refused }, times) => {
        if (!written) {
          span.discard()
          return
        }
        const revision = { 'vcs.ref.head.revision': commit }
        span.set({
          ...revision,
          'gittarget.files.changed': changed.length,
          'gittarget.files.refused': refused.length,
        })
        if (comparedMs !== undefined) child('snapshot', begunMs, comparedMs)
        if (times === undefined) return
        const [startMs, builtMs, pushedMs] = [times.startedAt, times.builtAt, times.pushedAt].map(
          (time) => time.getTime(),
        ) as [number, number, number]
        child('commit', startMs, builtMs, revision)
        child('push', builtMs, pushedMs, revision)
      },
    })
  })
}
