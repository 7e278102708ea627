import { connect, type Socket } from 'node:net'
import { StreamFailure } from '@agents/kube'
import { listenersOn, mayAccept, reachableAt, socketsOf } from './listeners.ts'

const connectMs = 10_000

/**
 * Connects to a port on which one of the processes listens. Pods share the network of the machine, so a port number
 * alone could lead to any server on it, such as the platform's own database: a connection is used only if no process
 * other than those of the pod can have accepted it.
 */
export async function connectToPort(
  port: number,
  processes: () => Promise<ReadonlySet<number>>,
  signal: AbortSignal,
): Promise<Socket> {
  if (process.platform !== 'linux') {
    throw new StreamFailure(501, 'the local node can forward ports on Linux only')
  }
  const owned = await ownedSockets(port, processes)
  const addresses = owned.listeners
    .filter(({ inode }) => owned.inodes.has(inode))
    .flatMap(reachableAt)
  for (const address of new Set(addresses)) {
    if (!owned.isSafe(address)) continue
    const socket = await connected(address, port, signal)
    if (socket === undefined) continue
    // Another process may have taken the port meanwhile.
    const now = await ownedSockets(port, processes)
    if (now.isSafe(address)) return socket
    socket.destroy()
  }
  throw new StreamFailure(500, `no process of the pod listens on port ${port}`)
}

async function ownedSockets(port: number, processes: () => Promise<ReadonlySet<number>>) {
  // In this order: a socket that closes in between is not taken for one of the pod.
  const inodes = await socketsOf(await processes())
  const listeners = await listenersOn(port)
  return {
    inodes,
    listeners,
    isSafe: (address: string): boolean => {
      const accepting = listeners.filter((listener) => mayAccept(listener, address))
      return accepting.length > 0 && accepting.every(({ inode }) => inodes.has(inode))
    },
  }
}

function connected(
  address: string,
  port: number,
  signal: AbortSignal,
): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, signal, allowHalfOpen: true, timeout: connectMs })
    const fail = (): void => {
      socket.destroy()
      resolve(undefined)
    }
    socket.once('error', fail)
    socket.once('timeout', fail)
    socket.once('connect', () => {
      socket.off('error', fail)
      socket.off('timeout', fail)
      socket.setTimeout(0)
      socket.on('error', () => undefined)
      resolve(socket)
    })
  })
}
