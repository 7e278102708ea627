import { describeConfig, parseConfig } from '@agents/config'
import { createLogger } from '@agents/log'
import { describe, expect, test } from 'vitest'
import { noTracing, openTracing } from './open-tracing.ts'
import { tracingSettings } from './settings/tracing-settings.ts'

const endpoint = 'http://127.0.0.1:1'

function opened(environment: Record<string, string>, lines: string[] = []) {
  const log = createLogger({ sink: { write: (line) => lines.push(line) } })
  const config = parseConfig(tracingSettings, environment)
  return openTracing(config, { service: 'x', version: '1', instance: 'i', log })
}

describe('traces', () => {
  test.each([
    { because: 'no collector is configured', environment: {} },
    {
      because: 'they are disabled',
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' },
    },
    {
      because: 'none would be sampled',
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: 'always_off' },
    },
  ])('are off: $because', async ({ environment }) => {
    expect(await opened(environment)).toBe(noTracing)
  })

  test('are on if only callers start them', async () => {
    const { tracer, close } = await opened({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    })
    const caller = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true }
    expect(tracer.start('x', { parent: caller }).context.isSampled).toBe(true)
    expect(tracer.start('x', { parent: 'none' }).context.isSampled).toBe(false)
    await close()
  })

  test.each(['grpc', 'http/protobuf', 'http/json'])(
    'are on with %s, and headers stay secret',
    async (protocol) => {
      const lines: string[] = []
      const environment = {
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20hunter2',
      }
      const tracing = await opened(environment, lines)
      expect(tracing.tracer.isOn).toBe(true)
      tracing.tracer.start('x').end()
      await tracing.close()
      expect(tracing.counts()?.dropped.unreachable).toBe(1)
      expect(lines.join('')).toContain('trace export failed')
      expect(lines.join('')).not.toContain('hunter2')
      const displayed = describeConfig(tracingSettings, parseConfig(tracingSettings, environment))
      expect(JSON.stringify(displayed)).not.toContain('hunter2')
    },
  )
})

describe('settings', () => {
  test.each([
    {
      because: 'the endpoint is not a URL',
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' },
    },
    {
      because: 'the endpoint contains credentials',
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://u:hunter2@c.test' },
    },
    { because: 'a header without a name', env: { OTEL_EXPORTER_OTLP_HEADERS: '=hunter2' } },
    { because: 'a header without a value', env: { OTEL_EXPORTER_OTLP_HEADERS: 'hunter2' } },
    {
      because: 'a line break in a header',
      env: { OTEL_EXPORTER_OTLP_HEADERS: 'a=hunter2%0d%0ab' },
    },
    { because: 'an invalid percent encoding', env: { OTEL_EXPORTER_OTLP_HEADERS: 'a=hunter2%' } },
    { because: 'a ratio above 1', env: { OTEL_TRACES_SAMPLER_ARG: '1.1' } },
    { because: 'an unknown sampler', env: { OTEL_TRACES_SAMPLER: 'jaeger_remote' } },
  ])('are rejected: $because', ({ env }) => {
    const [name = ''] = Object.keys(env)
    expect(() => parseConfig(tracingSettings, env)).toThrow(`${name} is`)
    expect(() => parseConfig(tracingSettings, env)).not.toThrow('hunter2')
  })
})
