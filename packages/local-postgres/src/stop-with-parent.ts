import { spawn } from 'node:child_process'

/**
 * Stops a server when this process ends without having stopped it, for instance by SIGKILL. A shell waits until the
 * pipe from this process is closed, then sends SIGINT to the server if the lock file still names it: pids are reused.
 * Returns a function that ends the shell.
 */
export function stopWithParent(pid: number, dataDir: string): () => void {
  const shell = spawn('/bin/sh', ['-c', script, 'sh', String(pid), dataDir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  })
  // Without a shell the server is only stopped at the next start.
  shell.on('error', () => undefined)
  shell.stdin.on('error', () => undefined)
  // The shell must not keep a process alive that has nothing else to do.
  shell.unref()
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref()
  return () => void shell.kill('SIGKILL')
}

// A terminal sends its signals to the shell too. `read` is built in and returns when the pipe is closed.
const script = `trap '' INT TERM HUP QUIT
while read -r _; do :; done
read -r pid < "$2/postmaster.pid" && [ "$pid" = "$1" ] && kill -INT "$1"`
