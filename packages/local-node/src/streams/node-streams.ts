import { type KubeObject, type PodStreams, StreamFailure } from '@agents/kube'
import type { ContainerEngine } from '../container/engine/engine.ts'
import { markerName, processesWith } from '../container/process-identity.ts'
import type { RunningContainer } from '../container/running-container.ts'
import { attachTo } from './attach.ts'
import { joiningLine } from './container-command.ts'
import { execMarkerName, newExecMarker, runExec } from './exec-process.ts'
import { connectToPort } from './port/connect-port.ts'
import { withDescendants } from './port/pod-processes.ts'
import { canCreateTerminals } from './terminal.ts'

interface NodeStreamsOptions {
  /** The running containers of a pod, by name. */
  readonly running: (uid: string) => ReadonlyMap<string, RunningContainer>
  readonly engine: ContainerEngine | undefined
  /** First part of the markers of this node's processes. */
  readonly nodeMarker: string
}

/** exec, attach and port-forward for the pods of a node. */
export function createNodeStreams({ running, engine, nodeMarker }: NodeStreamsOptions): PodStreams {
  const find = ({ metadata }: KubeObject, name: string): RunningContainer => {
    const container = running(metadata.uid ?? '').get(name)
    if (container === undefined) {
      throw new StreamFailure(500, `container not found (${JSON.stringify(name)})`)
    }
    return container
  }
  return {
    exec: async (pod, name, command, { stdin, tty }) => {
      const container = find(pod, name)
      if (command.length === 0) {
        throw new StreamFailure(400, 'you must specify at least one command for the container')
      }
      if (tty && !canCreateTerminals()) {
        throw new StreamFailure(500, `a terminal requires 'script' of util-linux on the local node`)
      }
      const marker = newExecMarker()
      const line = await joiningLine(
        container,
        { command, stdin, tty, marker: [execMarkerName, marker] },
        engine,
      )
      return (streams) => runExec(line, marker, streams, container.ended)
    },
    attach: async (pod, name) => {
      const container = find(pod, name)
      return (streams) => attachTo(container, streams)
    },
    portForward: async ({ metadata }) => {
      const { uid = '' } = metadata
      if (running(uid).size === 0) throw new StreamFailure(500, 'the pod is not running')
      return (port, signal) =>
        connectToPort(port, () => processesOf(uid, { running, engine, nodeMarker }), signal)
    },
  }
}

/** All processes of a pod: the descendants of its shims, and those that carry its marker. */
async function processesOf(
  uid: string,
  { running, engine, nodeMarker }: NodeStreamsOptions,
): Promise<Set<number>> {
  const marked = await processesWith(markerName, (value) =>
    value.startsWith(`${nodeMarker}/${uid}/`),
  )
  const roots = await Promise.all(
    [...running(uid).values()].map(async ({ pid, engineName }) => {
      if (engineName === undefined) return pid
      return engine?.processId(engineName).catch(() => undefined)
    }),
  )
  return withDescendants([...marked, ...roots.filter((pid) => pid !== undefined)])
}
