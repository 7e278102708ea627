import { type ConfigOf, flag, number, oneOf, text, url } from '@agents/config'
import { samplerNames } from '../context/sampler.ts'
import { parsePairs } from './pairs.ts'

const pairs = {
  expected: 'name=value pairs separated by commas, with percent-encoded values',
  check: (value: string) => (parsePairs(value) ? undefined : 'it does not have this form'),
} as const

/** The standard OpenTelemetry variables that are supported. Every process reads them. */
export const tracingSettings = {
  disabled: flag('OTEL_SDK_DISABLED', {
    doc: 'Disables tracing, whatever else is set.',
    fallback: false,
  }),
  endpoint: url('OTEL_EXPORTER_OTLP_ENDPOINT', {
    doc: 'The collector that traces are sent to. If not set, tracing is off and costs nothing.',
    chart: 'tracing.otlpEndpoint',
    schemes: ['http', 'https'],
    optional: true,
    check: (value) =>
      new URL(value).username === '' && new URL(value).password === ''
        ? undefined
        : 'credentials belong in OTEL_EXPORTER_OTLP_HEADERS',
  }),
  protocol: oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', ['grpc', 'http/protobuf', 'http/json'], {
    doc: 'The protocol of the collector. The usual ports are 4317 for gRPC and 4318 for HTTP.',
    chart: 'tracing.protocol',
    fallback: 'grpc',
  }),
  headers: text('OTEL_EXPORTER_OTLP_HEADERS', {
    doc: 'Headers that are sent with each batch, such as authorization=Bearer%20….',
    chart: 'tracing.headersSecret',
    secret: true,
    optional: true,
    ...pairs,
  }),
  serviceName: text('OTEL_SERVICE_NAME', {
    doc: 'The service name in traces. If not set: agents-control-plane, agents-controllers or agents-gittarget.',
    optional: true,
  }),
  resourceAttributes: text('OTEL_RESOURCE_ATTRIBUTES', {
    doc: 'More resource attributes, such as deployment.environment.name=prod.',
    optional: true,
    ...pairs,
  }),
  sampler: oneOf('OTEL_TRACES_SAMPLER', samplerNames, {
    doc: 'Which traces are kept. The parentbased samplers follow the decision of the parent span.',
    fallback: 'parentbased_traceidratio',
  }),
  sampleRatio: number('OTEL_TRACES_SAMPLER_ARG', {
    doc: 'The share of traces that the traceidratio samplers keep: 0 none, 1 all.',
    chart: 'tracing.sampleRatio',
    min: 0,
    max: 1,
    fallback: 1,
  }),
}

export type TracingConfig = ConfigOf<typeof tracingSettings>
