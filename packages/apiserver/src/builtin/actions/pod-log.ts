import type { ServerResponse } from 'node:http'
import { badRequest, notFound } from '../../endpoints/api-error.ts'
import type { StreamSubresource } from '../../registry/subresource.ts'
import type { Store } from '../../store/store.ts'
import { part, parts, text } from '../fields.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'

export interface LogOptions {
  readonly container: string
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  readonly tailLines?: number
  readonly limitBytes?: number
  readonly sinceSeconds?: number
  readonly sinceTime?: Date
}

/** Where the logs of containers come from. The stream ends with the log, or when `signal` aborts. */
export type PodLogs = (
  pod: BuiltinObject,
  options: LogOptions,
  signal: AbortSignal,
) => AsyncIterable<string | Uint8Array>

export function logSubresource(
  store: Store,
  podLogs: PodLogs | undefined,
  discovered: Pick<StreamSubresource, 'name' | 'kind' | 'verbs'>,
): StreamSubresource {
  return {
    ...discovered,
    type: 'stream',
    async connect({ resource, namespace, name, query }, request, response) {
      const entry = store.get(`${resource.storagePrefix}${namespace}/${name}`)
      if (entry === undefined) throw notFound(resource, name)
      const pod = entry.value as BuiltinObject
      const options = readOptions(pod, query)
      const stop = new AbortController()
      request.once('close', () => stop.abort())
      response.once('close', () => stop.abort())
      response.writeHead(200, {
        'content-type': 'text/plain',
        'cache-control': 'no-cache, private',
      })
      response.flushHeaders()
      if (podLogs !== undefined) {
        for await (const chunk of podLogs(pod, options, stop.signal)) {
          if (!response.write(chunk)) await drained(response, stop.signal)
          if (stop.signal.aborted) break
        }
      }
      response.end()
    },
  }
}

function readOptions(pod: BuiltinObject, query: URLSearchParams): LogOptions {
  const tailLines = integer(query, 'tailLines', 0)
  const limitBytes = integer(query, 'limitBytes', 1)
  const sinceSeconds = integer(query, 'sinceSeconds', 1)
  const since = query.get('sinceTime')
  return {
    container: chosenContainer(pod, query.get('container') ?? ''),
    follow: query.get('follow') === 'true',
    previous: query.get('previous') === 'true',
    timestamps: query.get('timestamps') === 'true',
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(sinceSeconds === undefined ? {} : { sinceSeconds }),
    ...(since === null ? {} : { sinceTime: new Date(since) }),
  }
}

function chosenContainer(pod: BuiltinObject, wanted: string): string {
  const { name } = pod.metadata
  const spec = part(pod, 'spec')
  const names = ['containers', 'initContainers', 'ephemeralContainers'].map((field) =>
    parts(spec, field).map((container) => text(container, 'name')),
  )
  const [containers = [], inits = [], ephemerals = []] = names
  if (wanted !== '') {
    if (names.flat().includes(wanted)) return wanted
    throw badRequest(`container ${wanted} is not valid for pod ${name}`)
  }
  const [only, ...more] = containers
  if (only !== undefined && more.length === 0 && inits.length + ephemerals.length === 0) return only
  const choices = `choose one of: [${containers.join(' ')}]`
  const others = inits.length === 0 ? '' : ` or one of the init containers: [${inits.join(' ')}]`
  throw badRequest(`a container name must be specified for pod ${name}, ${choices}${others}`)
}

function integer(query: URLSearchParams, name: string, least: number): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  const value = Number(text)
  if (!Number.isInteger(value) || value < least) {
    throw badRequest(`invalid ${name}: ${JSON.stringify(text)}`)
  }
  return value
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
