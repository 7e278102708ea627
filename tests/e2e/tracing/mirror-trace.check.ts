import { startGitTarget } from '@agents/gittarget'
import { silentLogger } from '@agents/log'
import { createTracer, type SpanRecord } from '@agents/tracing'
import { expect, onTestFinished, test } from 'vitest'
import { TestBed } from '../../support/gittarget/test-bed.ts'

const whole = { timeout: 120_000 }

test('each commit of a mirror is a trace, from the first change to the push', whole, async () => {
  const spans: SpanRecord[] = []
  const bed = await TestBed.start()
  onTestFinished(() => bed.stop())
  const operator = await startGitTarget({
    client: bed.client,
    log: silentLogger,
    stateDir: bed.stateDir,
    allowFile: true,
    tracer: createTracer({ sampler: () => true, onEnd: (span) => spans.push(span) }),
  })
  onTestFinished(() => operator.stop())
  await operator.ready
  const team = await bed.team('traced', await bed.remote(), {
    resources: ['configmaps', 'secrets'],
  })
  await team.secret('kept', { password: 'not-a-real-password' })
  await team.isReady()
  await team.configMap('a', { level: 'info' })
  await team.untilFiles((files) => files[team.path('configmaps', 'a')] !== undefined)

  const windows = (): SpanRecord[] => spans.filter(({ name }) => name === 'commit window')
  const kinds = (): unknown[] =>
    windows().map(({ attributes }) => attributes['gittarget.window.kind'])
  await expect.poll(kinds, whole).toContain('changes')
  expect(kinds()).toContain('snapshot')
  for (const { context, parentSpanId, attributes, startMs, endMs } of windows()) {
    expect(parentSpanId).toBeUndefined()
    expect(attributes).toMatchObject({
      'gittarget.target': 'traced/mirror',
      'vcs.ref.head.name': 'main',
      'vcs.ref.head.revision': expect.stringMatching(/^[0-9a-f]{40}$/),
    })
    const below = spans.filter((span) => span.parentSpanId === context.spanId)
    const isSnapshot = attributes['gittarget.window.kind'] === 'snapshot'
    expect(below.map(({ name }) => name)).toEqual([
      ...(isSnapshot ? ['snapshot'] : []),
      'commit',
      'push',
    ])
    for (const span of below) {
      expect(span.context.traceId).toBe(context.traceId)
      // One clock has a resolution of milliseconds, the other one is finer.
      expect(span.startMs).toBeGreaterThanOrEqual(Math.floor(startMs))
      expect(span.endMs).toBeLessThanOrEqual(Math.ceil(endMs))
    }
  }
  expect(JSON.stringify(spans)).not.toContain('not-a-real-password')
})
