import type { Transport } from '../transport/transport.ts'
import { createResourceReader, type ResourceReader } from './resource-reader.ts'
import { createResourceWriter, type ResourceWriter } from './resource-writer.ts'

/** The verbs of the API, for objects of any kind. Failures are thrown as KubeError, or as the signal's reason. */
export interface ResourceClient extends ResourceReader, ResourceWriter {}

interface ResourceClientOptions {
  readonly fieldManager?: string | undefined
  /** Large lists may be compressed. */
  readonly acceptGzip: boolean
}

export function createResourceClient(
  transport: Transport,
  { fieldManager, acceptGzip }: ResourceClientOptions,
): ResourceClient {
  return {
    ...createResourceReader(transport, acceptGzip),
    ...createResourceWriter(transport, fieldManager),
  }
}
