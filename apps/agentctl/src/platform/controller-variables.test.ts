import { controllersConfig } from '@agents/jangar'
import { describe, expect, test } from 'vitest'
import { controllerVariables } from './controller-variables.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317' }
const foreign = { OTEL_TRACES_SAMPLER: 'jaeger_remote', OTEL_EXPORTER_OTLP_PROTOCOL: 'zipkin' }

describe('the variables of the controllers', () => {
  test.each([
    { because: 'no collector is named', environment: foreign },
    { because: 'its name is empty', environment: { ...foreign, OTEL_EXPORTER_OTLP_ENDPOINT: '' } },
  ])('leave out those of OpenTelemetry that are meant for others: $because', ({ environment }) => {
    const { tracing } = controllersConfig(controllerVariables(environment))
    expect(tracing).toMatchObject({ endpoint: undefined, protocol: 'grpc' })
  })

  test('take those of OpenTelemetry where a collector is named, and say what is wrong with them', () => {
    const { tracing } = controllersConfig(
      controllerVariables({ ...endpoint, OTEL_SERVICE_NAME: 'me' }),
    )
    expect(tracing).toMatchObject({ serviceName: 'me' })
    expect(() => controllersConfig(controllerVariables({ ...endpoint, ...foreign }))).toThrow(
      'OTEL_TRACES_SAMPLER',
    )
  })

  test('outrank what a single machine needs', () => {
    const variables = controllerVariables({
      JANGAR_AGENTS_CONTROLLER_NAMESPACES: 'team',
      HOME: '/home/agent',
    })
    expect(variables).toMatchObject({
      JANGAR_AGENTS_CONTROLLER_NAMESPACES: 'team',
      JANGAR_RBAC_CLUSTER_SCOPED: 'true',
    })
    expect(variables).not.toHaveProperty('HOME')
  })
})
