import type { IncomingMessage, ServerResponse } from 'node:http'
import { loadStreaming, type Pod, type PodStreams, StreamFailure } from '@agents/kube'
import type { createPodLogs } from '../logs/pod-logs.ts'

/** What the requests of an API server are answered from. */
export interface KubeletRequests {
  readonly findPod: (namespace: string, name: string) => Pod | undefined
  readonly streams: PodStreams
  readonly logs: ReturnType<typeof createPodLogs>
}

const segment = '([^/]+)'
const containerPath = new RegExp(`^/(exec|attach|containerLogs)/${segment}/${segment}/${segment}$`)
const podPath = new RegExp(`^/portForward/${segment}/${segment}$`)

/** Answers one request. A StreamFailure is to be sent to the client. */
export async function routeRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { findPod, streams, logs }: KubeletRequests,
): Promise<void> {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'https://kubelet')
  const find = (namespace = '', name = ''): Pod => {
    const pod = findPod(decodeURIComponent(namespace), decodeURIComponent(name))
    if (pod === undefined) throw new StreamFailure(404, 'pod does not exist')
    return pod
  }
  const forPod = podPath.exec(pathname)
  if (forPod !== null) {
    const pod = find(forPod[1], forPod[2])
    const { servePortForward } = await loadStreaming()
    const { name, namespace, uid } = pod.metadata
    const target = `pod ${name}_${namespace}, uid ${uid}`
    return servePortForward({ request, response, target, prepare: () => streams.portForward(pod) })
  }
  const [, what, namespace, name, containerText = ''] = containerPath.exec(pathname) ?? []
  if (what === undefined) throw new StreamFailure(404, '404 page not found')
  const pod = find(namespace, name)
  const container = decodeURIComponent(containerText)
  if (what === 'containerLogs') return sendLog(response, logs, pod, container, query)
  const isSet = (key: string): boolean => query.get(key) === '1'
  const tty = isSet('tty')
  const choice = {
    ...{ stdin: isSet('input'), stdout: isSet('output'), tty },
    stderr: isSet('error') && !tty,
  }
  const { serveCommand } = await loadStreaming()
  const prepare = () =>
    what === 'exec'
      ? streams.exec(pod, container, query.getAll('command'), choice)
      : streams.attach(pod, container, choice)
  await serveCommand({ request, response, choice, prepare })
}

async function sendLog(
  response: ServerResponse,
  logs: KubeletRequests['logs'],
  pod: Pod,
  container: string,
  query: URLSearchParams,
): Promise<void> {
  const stop = new AbortController()
  response.once('close', () => stop.abort())
  const number = (name: string) => (query.has(name) ? { [name]: Number(query.get(name)) } : {})
  const since = query.get('sinceTime')
  const options = {
    container,
    follow: query.get('follow') === 'true',
    previous: query.get('previous') === 'true',
    timestamps: query.get('timestamps') === 'true',
    ...number('tailLines'),
    ...number('limitBytes'),
    ...number('sinceSeconds'),
    ...(since === null ? {} : { sinceTime: new Date(since) }),
  }
  response.writeHead(200, { 'content-type': 'text/plain' })
  response.flushHeaders()
  for await (const chunk of logs(pod, options, stop.signal)) {
    if (!response.write(chunk)) {
      await new Promise<void>((resolve) => {
        response.once('drain', resolve)
        response.once('close', resolve)
      })
    }
    if (stop.signal.aborted) break
  }
  response.end()
}
