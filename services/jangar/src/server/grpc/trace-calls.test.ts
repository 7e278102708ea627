import { createTracer, formatTraceparent, type SpanRecord } from '@agents/tracing'
import { Code } from '@connectrpc/connect'
import { describe, expect, test } from 'vitest'
import { codeOf, serveGrpc } from './testing/serve-grpc.ts'

describe('traces', () => {
  test('each call has a span in the trace of its caller, with its status; health checks have none', async () => {
    const spans: SpanRecord[] = []
    const tracer = createTracer({ sampler: () => true, onEnd: (span) => spans.push(span) })
    const { agentctl, health } = await serveGrpc({ tracer })
    const caller = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true }
    const headers = { traceparent: formatTraceparent(caller) }
    await agentctl.getServerInfo({}, { headers })
    await health.check({ service: '' })
    await codeOf(agentctl.getControlPlaneStatus({ namespace: 'nowhere' }))
    expect(spans).toMatchObject([
      {
        name: 'proompteng.jangar.v1.AgentctlService/GetServerInfo',
        kind: 'server',
        context: { traceId: caller.traceId },
        parentSpanId: caller.spanId,
        status: { code: 'unset' },
      },
      {
        name: 'proompteng.jangar.v1.AgentctlService/GetControlPlaneStatus',
        parentSpanId: undefined,
        attributes: { 'rpc.grpc.status_code': Code.NotFound },
        status: { code: 'error' },
      },
    ])
  })
})
