import { type ConfigOf, flag, number, oneOf, text, url } from '@agents/config'
import { SAMPLERS } from '../context/sampler.ts'
import { parsePairs } from './pairs.ts'

const pairs = {
  expected: 'name=value pairs with commas between them, values percent-encoded',
  check: (value: string) => (parsePairs(value) ? undefined : 'it cannot be read as such'),
} as const

/** OpenTelemetry's own variables, as far as they mean something here. Every process reads them. */
export const tracingSettings = {
  disabled: flag('OTEL_SDK_DISABLED', {
    doc: 'Switches traces off, whatever else is set.',
    fallback: false,
  }),
  endpoint: url('OTEL_EXPORTER_OTLP_ENDPOINT', {
    doc: 'The collector that traces are sent to. Not set: there are none, and they cost nothing.',
    chart: 'tracing.otlpEndpoint',
    schemes: ['http', 'https'],
    optional: true,
    check: (value) =>
      new URL(value).username === '' && new URL(value).password === ''
        ? undefined
        : 'credentials belong in OTEL_EXPORTER_OTLP_HEADERS',
  }),
  protocol: oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', ['grpc', 'http/protobuf', 'http/json'], {
    doc: 'How they are sent. Collectors take gRPC on port 4317 and HTTP on port 4318, usually.',
    chart: 'tracing.protocol',
    fallback: 'grpc',
  }),
  headers: text('OTEL_EXPORTER_OTLP_HEADERS', {
    doc: 'Sent with each batch, such as authorization=Bearer%20….',
    chart: 'tracing.headersSecret',
    secret: true,
    optional: true,
    ...pairs,
  }),
  serviceName: text('OTEL_SERVICE_NAME', {
    doc: 'The name of the process in its traces. Not set: agents-control-plane, agents-controllers or agents-gittarget.',
    optional: true,
  }),
  resourceAttributes: text('OTEL_RESOURCE_ATTRIBUTES', {
    doc: 'What else is true of the process, such as deployment.environment.name=prod.',
    optional: true,
    ...pairs,
  }),
  sampler: oneOf('OTEL_TRACES_SAMPLER', SAMPLERS, {
    doc: 'Which traces are kept. The parentbased ones follow whoever began the trace.',
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
