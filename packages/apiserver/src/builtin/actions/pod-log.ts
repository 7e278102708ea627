import type { ServerResponse } from 'node:http'
import type { StreamSubresource } from '../../registry/resource.ts'
import { badRequest, notFound, quote } from '../../status/api-error.ts'
import type { Store } from '../../store/store.ts'
import { part, parts, text } from '../fields.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'

interface LogOptions {
  readonly container: string
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  readonly tailLines?: number
  readonly limitBytes?: number
  readonly sinceSeconds?: number
  readonly sinceTime?: Date
}

/**
 * Source of container logs. The stream ends with the log, or when `signal` aborts. An ApiError is sent to the client if
 * it is thrown before the stream is returned; the headers are sent as soon as it is, before its first byte.
 */
export type PodLogs = (
  pod: BuiltinObject,
  options: LogOptions,
  signal: AbortSignal,
) => LogStream | Promise<LogStream>

type LogStream = AsyncIterable<string | Uint8Array>

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
      const stream = await openLog(podLogs, pod, options, stop.signal)
      response.writeHead(200, {
        'content-type': 'text/plain',
        'cache-control': 'no-cache, private',
      })
      response.flushHeaders()
      if (stream !== undefined) {
        for await (const chunk of stream) {
          if (!response.write(chunk)) await drained(response, stop.signal)
          if (stop.signal.aborted) break
        }
      }
      response.end()
    },
  }
}

/** Opens the log of a container; undefined if the server has no source of logs. */
async function openLog(
  podLogs: PodLogs | undefined,
  pod: BuiltinObject,
  options: LogOptions,
  signal: AbortSignal,
): Promise<LogStream | undefined> {
  if (podLogs === undefined) return undefined
  // A pod that is not assigned to a node has no status yet.
  const isOnNode = text(part(pod, 'spec'), 'nodeName') !== ''
  if (options.previous && isOnNode && !hasEnded(pod, options.container)) {
    throw badRequest(
      `previous terminated container ${quote(options.container)} in pod ${quote(pod.metadata.name ?? '')} not found`,
    )
  }
  return podLogs(pod, options, signal)
}

/** Whether the container has been restarted, so that it has a previous log. */
function hasEnded(pod: BuiltinObject, container: string): boolean {
  const status = part(pod, 'status')
  return ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses']
    .flatMap((field) => parts(status, field))
    .some(
      (one) => text(one, 'name') === container && part(one, 'lastState').terminated !== undefined,
    )
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
