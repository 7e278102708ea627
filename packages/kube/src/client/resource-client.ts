import { createResourceReader, type ResourceReader } from './resource-reader.ts'
import { createResourceWriter, type ResourceWriter } from './resource-writer.ts'
import type { Transport } from './transport.ts'

/** The verbs of the API, for objects of any kind. Everything that fails is a KubeError, or the signal's reason. */
export interface ResourceClient extends ResourceReader, ResourceWriter {}

export interface ResourceClientOptions {
  readonly fieldManager?: string | undefined
  /** Large lists may come compressed. */
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
