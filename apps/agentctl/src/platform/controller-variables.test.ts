import { controllersConfig } from '@agents/jangar'
import { describe, expect, test } from 'vitest'
import { controllerVariables } from './controller-variables.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317' }
const foreign = { OTEL_TRACES_SAMPLER: 'jaeger_remote', OTEL_EXPORTER_OTLP_PROTOCOL: 'zipkin' }

const folder = { root: '/state' }

describe('the variables of the controllers', () => {
  test.each([
    { because: 'no collector is set', environment: foreign },
    {
      because: 'the collector is empty',
      environment: { ...foreign, OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    },
  ])('omit those of OpenTelemetry without a collector: $because', ({ environment }) => {
    const { tracing } = controllersConfig(controllerVariables(environment, folder))
    expect(tracing).toMatchObject({ endpoint: undefined, protocol: 'grpc' })
  })

  test('include those of OpenTelemetry with a collector, and report invalid ones', () => {
    const { tracing } = controllersConfig(
      controllerVariables({ ...endpoint, OTEL_SERVICE_NAME: 'me' }, folder),
    )
    expect(tracing).toMatchObject({ serviceName: 'me' })
    expect(() =>
      controllersConfig(controllerVariables({ ...endpoint, ...foreign }, folder)),
    ).toThrow('OTEL_TRACES_SAMPLER')
  })

  test('override the defaults of the local platform', () => {
    const variables = controllerVariables(
      {
        JANGAR_AGENTS_CONTROLLER_NAMESPACES: 'team',
        HOME: '/home/agent',
      },
      folder,
    )
    expect(variables).toMatchObject({
      JANGAR_AGENTS_CONTROLLER_NAMESPACES: 'team',
      JANGAR_RBAC_CLUSTER_SCOPED: 'true',
    })
    expect(variables).not.toHaveProperty('HOME')
  })
})
