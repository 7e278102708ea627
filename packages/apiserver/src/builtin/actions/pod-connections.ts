import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type KubeObject,
  loadStreaming,
  type PodStreams,
  type StreamChoice,
  StreamFailure,
} from '@agents/kube'
import type { StreamSubresource } from '../../registry/resource.ts'
import { isTrue } from '../../request/request-info.ts'
import { ApiError, badRequest, notFound } from '../../status/api-error.ts'
import type { Store } from '../../store/store.ts'
import { part, parts, text } from '../fields.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'

/** exec, attach and portforward: connections to the containers of a pod. */
export function connectSubresource(
  store: Store,
  podStreams: PodStreams | undefined,
  discovered: Pick<StreamSubresource, 'name' | 'kind' | 'verbs'>,
): StreamSubresource {
  return {
    ...discovered,
    type: 'stream',
    alwaysNeeds: 'create',
    connectOptions: (query) => optionsOf(discovered.kind, query),
    async connect({ resource, namespace, name, query }, request, response) {
      const pod = store.get(`${resource.storagePrefix}${namespace}/${name}`)?.value
      if (pod === undefined) throw notFound(resource, name)
      const isPortForward = discovered.name === 'portforward'
      const options = optionsOf(discovered.kind, query)
      const container = isPortForward
        ? ''
        : chosenContainer(pod as BuiltinObject, options.container)
      if (text(part(pod as BuiltinObject, 'spec'), 'nodeName') === '') {
        throw badRequest(`pod ${name} does not have a host assigned`)
      }
      if (podStreams === undefined) {
        throw new ApiError(501, 'NotImplemented', `${discovered.name} of pods is not served here`)
      }
      const connection = { podStreams, pod: pod as KubeObject, container, options }
      try {
        if (isPortForward) await forwardPorts(connection, request, response)
        else await runCommand(discovered.name, connection, request, response)
      } catch (error) {
        if (!(error instanceof StreamFailure) || response.headersSent) throw error
        sendFailure(response, error)
      }
    },
  }
}

interface PodConnection {
  readonly podStreams: PodStreams
  readonly pod: KubeObject
  readonly container: string
  readonly options: ConnectOptions
}

async function runCommand(
  name: string,
  { podStreams, pod, container, options }: PodConnection,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { serveCommand } = await loadStreaming()
  const { stdin = false, stdout = false, stderr = false, tty = false } = options
  const choice: StreamChoice = { stdin, stdout, stderr, tty }
  const prepare = () =>
    name === 'exec'
      ? podStreams.exec(pod, container, options.command ?? [], choice)
      : podStreams.attach(pod, container, choice)
  await serveCommand({ request, response, choice, prepare })
}

async function forwardPorts(
  { podStreams, pod }: PodConnection,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { servePortForward } = await loadStreaming()
  const { name, namespace, uid } = pod.metadata
  const target = `pod ${name}_${namespace}, uid ${uid}`
  await servePortForward({ request, response, target, prepare: () => podStreams.portForward(pod) })
}

/** As a kubelet answers, whose response kube-apiserver passes on. */
function sendFailure(response: ServerResponse, { code, message }: StreamFailure): void {
  response.writeHead(code, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  })
  response.end(`${message}\n`)
}

function chosenContainer(pod: BuiltinObject, wanted = ''): string {
  const spec = part(pod, 'spec')
  const named = (field: string) => parts(spec, field).map((one) => text(one, 'name'))
  const containers = named('containers')
  const all = [...named('initContainers'), ...containers, ...named('ephemeralContainers')]
  const { name } = pod.metadata
  if (wanted !== '') {
    if (all.includes(wanted)) return wanted
    throw badRequest(`container ${wanted} is not valid for pod ${name}`)
  }
  const [only, ...more] = containers
  if (only !== undefined && more.length === 0) return only
  throw badRequest(
    `a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`,
  )
}

/** PodExecOptions, PodAttachOptions or PodPortForwardOptions. */
interface ConnectOptions extends KubeObject {
  stdin?: boolean
  stdout?: boolean
  stderr?: boolean
  tty?: boolean
  container?: string
  command?: string[]
  ports?: number[]
}

/** The options in a query. */
function optionsOf(kind: string, query: URLSearchParams): ConnectOptions {
  const options = { kind, apiVersion: 'v1' } as ConnectOptions
  if (kind === 'PodPortForwardOptions') {
    const ports = query.getAll('ports').map(Number).filter(Number.isInteger)
    if (ports.length > 0) options.ports = ports
    return options
  }
  for (const name of ['stdin', 'stdout', 'stderr', 'tty'] as const) {
    if (isTrue(query.get(name))) options[name] = true
  }
  const container = query.get('container') ?? ''
  if (container !== '') options.container = container
  const command = query.getAll('command')
  if (kind === 'PodExecOptions' && command.length > 0) options.command = command
  return options
}
