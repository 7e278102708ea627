/**
 * Source of the helper that starts processes: plain JavaScript for `node -e`, so that it needs no more memory than
 * Node itself. Each message names a process by its `id`. The helper answers `spawned` with the pid, `ready` at the
 * first message on the process's descriptor 3, `over` at the next, and `exit` at the end, or instead of `spawned`. It
 * ends with its channel, which closes the sockets as if the node itself had held them.
 */
export const spawnerScript = `
const { spawn } = require('node:child_process')
const children = new Map()

function tell(message) {
  return process.connected && process.send(message)
}

function end(id, how) {
  if (children.delete(id)) tell({ kind: 'exit', id, ...how })
}

function start({ id, file, args, cwd, env }) {
  children.set(id, undefined)
  try {
    const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
    child.once('error', (error) => end(id, { error: error.message }))
    child.once('exit', (_code, signal) => end(id, { signal }))
    if (child.pid === undefined) return
    children.set(id, child)
    child.stdio[3].on('error', () => undefined)
    child.stdio[3].once('data', () => {
      tell({ kind: 'ready', id })
      child.stdio[3].once('data', () => tell({ kind: 'over', id }))
    })
    tell({ kind: 'spawned', id, pid: child.pid })
  } catch (error) {
    end(id, { error: error.message })
  }
}

process.on('message', (message) => {
  if (message.kind === 'start') return start(message)
  const socket = children.get(message.id)?.stdio[3]
  if (message.kind === 'go') socket?.write('go\\n')
  if (message.kind === 'ok') socket?.write('ok\\n')
  if (message.kind === 'leave') socket?.destroy()
})
process.on('disconnect', () => process.exit(0))
`
