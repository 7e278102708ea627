import type { Logger } from '@agents/log'
import type { Resource } from '../otlp/resource.ts'
import { BatchExporter } from './batch-exporter.ts'
import type { Transport, TransportOptions } from './transport.ts'

export type Protocol = 'grpc' | 'http/protobuf' | 'http/json'

export interface ExporterOptions extends TransportOptions {
  readonly protocol: Protocol
  readonly resource: Resource
  readonly log: Logger
}

export async function openExporter(options: ExporterOptions): Promise<BatchExporter> {
  const { resource, log } = options
  return new BatchExporter({ transport: await openTransport(options), resource, log })
}

async function openTransport({ protocol, ...options }: ExporterOptions): Promise<Transport> {
  if (protocol === 'grpc') {
    const { grpcTransport } = await import('./grpc-transport.ts')
    return grpcTransport(options)
  }
  const { httpTransport } = await import('./http-transport.ts')
  return httpTransport(options, protocol === 'http/json' ? 'json' : 'protobuf')
}
