import type { Logger } from '@agents/log'
import { samplerOf } from './context/sampler.ts'
import type { ExportCounts } from './export/batch-exporter.ts'
import { parsePairs } from './settings/pairs.ts'
import type { TracingConfig } from './settings/tracing-settings.ts'
import { createTracer, noTracer, type Tracer } from './tracer.ts'

/** The traces of one process. */
export interface Tracing {
  readonly tracer: Tracer
  /** Undefined if tracing is off. */
  counts(): ExportCounts | undefined
  /** Sends the queued spans, for a few seconds at most. */
  close(): Promise<void>
}

interface TracingPorts {
  /** The service name in traces, unless the settings override it. */
  readonly service: string
  readonly version: string
  /** Distinguishes several processes of the same service. */
  readonly instance: string
  readonly log: Logger
}

/** Short, because the grace period of the pod is needed for running work. */
const closeMs = 3_000

export async function openTracing(config: TracingConfig, ports: TracingPorts): Promise<Tracing> {
  const { disabled, endpoint, sampler, sampleRatio, protocol } = config
  if (disabled || endpoint === undefined || sampler === 'always_off') return noTracing
  // The exporter is loaded only if there is a collector.
  const { openExporter } = await import('./export/open-exporter.ts')
  const { log } = ports
  const exporter = await openExporter({
    protocol,
    endpoint: new URL(endpoint),
    headers: lowerCased(parsePairs(config.headers ?? '') ?? {}),
    resource: resourceOf(config, ports),
    log,
  })
  log.info('tracing enabled', { address: exporter.address, protocol, sampler, sampleRatio })
  return {
    tracer: createTracer({
      sampler: samplerOf(sampler, sampleRatio),
      onEnd: (span) => exporter.add(span),
    }),
    counts: () => exporter.counts,
    close: () => exporter.close(closeMs),
  }
}

export const noTracing: Tracing = {
  tracer: noTracer,
  counts: () => undefined,
  close: async () => undefined,
}

function resourceOf(
  { resourceAttributes, serviceName }: TracingConfig,
  { service, version, instance }: TracingPorts,
): Record<string, string> {
  return {
    'service.namespace': 'agents',
    'service.version': version,
    'service.instance.id': instance,
    'telemetry.sdk.name': 'agents',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': version,
    ...withName(service),
    ...parsePairs(resourceAttributes ?? ''),
    ...(serviceName !== undefined && withName(serviceName)),
  }
}

function withName(name: string): Record<string, string> {
  return { 'service.name': name }
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}
